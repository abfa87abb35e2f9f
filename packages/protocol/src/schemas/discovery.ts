import { Type } from 'typebox'
import type { Static } from '../static.ts'
import { base64, integer, list, object, optional, plainText, protocolVersion, sha256, text, time } from './shape.ts'

export const AuthEndpointsResponse = object('AuthEndpointsResponse', {
  login: plainText('Address that opens a session.'),
  refresh: plainText('Address that rotates the token pair.'),
  logout: plainText('Address that ends a session.'),
})

export const ProtocolWindowResponse = object('ProtocolWindowResponse', {
  min: protocolVersion('Oldest protocol version that writes may use.'),
  max: protocolVersion('Newest protocol version of the server.'),
})

export const DeprecationResponse = object('DeprecationResponse', {
  min_protocol_version: protocolVersion('Oldest protocol version that is accepted after the cutoff.'),
  announced_at: time('When the announcement was first published.'),
  cutoff: time('When the server stops accepting versions below min_protocol_version.'),
  detail_url: optional(plainText('Page that tells people what to do.')),
})

export type DeprecationResponse = Static<typeof DeprecationResponse>

export const DeprecationsResponse = object('DeprecationsResponse', {
  announcements: list(DeprecationResponse, 'Every announced cutoff, in announcement order.'),
})
export type DeprecationsResponse = Static<typeof DeprecationsResponse>

export const ServerLimitsResponse = object('ServerLimitsResponse', {
  request_bytes: integer('Largest JSON body; without a bearer token at most 65,536.', 1),
  chunk_bytes: integer('Largest chunk of an upload.', 1),
  suggested_chunk_size: integer('The chunk size to start with.', 1),
  blob_bytes: integer('Largest sealed blob. A link may have a lower limit.', 1),
  retention_days: Type.Optional(
    integer('So many days from now a manifest’s retention_until may be at most. 0: none is accepted.', 0),
  ),
})

export const AnnouncedMoveResponse = object('AnnouncedMoveResponse', {
  server_id: plainText('The origin that the server will have.'),
  on: time('The day on which the operator means to move.'),
})

export const FormerNameResponse = object('FormerNameResponse', {
  server_id: plainText('The origin that the server had before its last move.'),
  moved_at: time('When it moved.'),
})

export const ServerInfoResponse = object('ServerInfoResponse', {
  server_id: plainText('The server’s canonical origin.'),
  public_url: Type.Optional(plainText('Address of the server with its path, without a slash at the end.')),
  api_base_url: plainText('Address of the versioned API.'),
  auth: AuthEndpointsResponse,
  federation_url: optional(plainText('Address for federated peers. Absent when the server does not federate.')),
  protocol_version: ProtocolWindowResponse,
  signing_key: base64('Raw Ed25519 public key that verifies the server’s tokens.', { min: 32, max: 32 }),
  signing_algorithm: plainText('Signature algorithm used with that key: ed25519.'),
  deprecations: list(DeprecationResponse, 'Announced cutoffs, in announcement order. Empty when there are none.'),
  limits: Type.Optional(ServerLimitsResponse),
  moves_to: Type.Optional(AnnouncedMoveResponse),
  moved_from: Type.Optional(FormerNameResponse),
})
export type ServerInfoResponse = Static<typeof ServerInfoResponse>

export const PublishedKeyResponse = object('PublishedKeyResponse', {
  key_id: sha256('Key fingerprint, the value of server_key_id in receipts.'),
  public: base64('Ed25519 key (32 bytes) followed by an ML-DSA-65 key (1952 bytes).', { min: 1984, max: 1984 }),
  algorithm: plainText('Signature algorithm the key is used with: hybrid-ed25519-mldsa65.'),
  active_from: time('When the key started to sign.'),
  active_to: optional(time('When the key stopped signing. Absent for the active key.')),
})
export type PublishedKeyResponse = Static<typeof PublishedKeyResponse>

export const AttestationKeysResponse = object('AttestationKeysResponse', {
  server_id: plainText('The server’s canonical origin, which binds receipts to one server.'),
  keys: list(PublishedKeyResponse, 'Every key that the server has signed with, oldest first, the active key last.'),
})
export type AttestationKeysResponse = Static<typeof AttestationKeysResponse>

/** About 3.8 KB, like a receipt. */
const MAX_KEY_CHANGE_BYTES = 16_384

export const KeyChangeResponse = object('KeyChangeResponse', {
  leave: base64('The statement, COSE_Sign in deterministic CBOR, signed by the old key.', {
    min: 1,
    max: MAX_KEY_CHANGE_BYTES,
  }),
  arrive: base64('A message with the same payload, signed by the new key.', { min: 1, max: MAX_KEY_CHANGE_BYTES }),
})
export type KeyChangeResponse = Static<typeof KeyChangeResponse>

export const MovesResponse = object('MovesResponse', {
  server_id: plainText('The server’s canonical origin: the name in which its last move ends.'),
  moves: list(KeyChangeResponse, 'Every move to another origin, oldest first.'),
  rotations: list(KeyChangeResponse, 'Every other change of the attestation key, oldest first.'),
})
export type MovesResponse = Static<typeof MovesResponse>

export const RevokedTokenResponse = object('RevokedTokenResponse', {
  jti: plainText('The token’s jti claim.'),
  expires_at: time('The token’s exp. The entry is removed after it.'),
})

export const RevokedJtiResponse = object('RevokedJtiResponse', {
  generated_at: time('When the list was made.'),
  max_staleness_seconds: integer('How long a cached copy remains usable, in seconds.'),
  revoked: list(RevokedTokenResponse, 'Every revoked token that has not expired, soonest expiry first.'),
})
export type RevokedJtiResponse = Static<typeof RevokedJtiResponse>

export const VersionResponse = object('VersionResponse', {
  name: plainText('Name of the software.'),
  version: plainText('Release of the software.'),
})
export type VersionResponse = Static<typeof VersionResponse>

/** Characters of each text that an operator says about itself. */
export const MAX_SITE_CHARACTERS = 200

const siteUrl = (description: string) =>
  Type.Optional(text(description, { maxLength: MAX_SITE_CHARACTERS, pattern: '^https://[!-~]+$' }))

export const SiteResponse = object('SiteResponse', {
  name: Type.Optional(plainText('What the operator is called.', { maxLength: MAX_SITE_CHARACTERS })),
  imprint_url: siteUrl('Page that says who runs the server.'),
  privacy_url: siteUrl('Page that says what the operator does with personal data.'),
})
export type SiteResponse = Static<typeof SiteResponse>

export const HealthResponse = object('HealthResponse', { status: plainText('ok') })
export type HealthResponse = Static<typeof HealthResponse>

export const ReadinessResponse = object('ReadinessResponse', {
  status: plainText('ok, or failing.'),
  failing: Type.Optional(
    list(
      plainText('store, blobs, disk_full, clock, schema, draining, or a sentence for the operator'),
      'Why not: the database or the bytes do not answer, the disk of the database is full so that nothing can be written, the time is not known or two seconds off, a newer release has changed the database, the server ends, or, as a sentence, the receipt log is shorter than it was.',
    ),
  ),
  warnings: Type.Optional(
    list(
      plainText('disk_below_floor, or blobs_not_writable'),
      'What the operator has to look at while the server serves: the disk has less free space than its floor, so bytes of uploads are refused; a directory of objects cannot be written, so uploads into it fail (looked at once a minute). The log has the figures and the path.',
    ),
  ),
})
export type ReadinessResponse = Static<typeof ReadinessResponse>
