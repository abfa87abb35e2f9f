import { type Static, Type } from 'typebox'
import { base64, integer, list, object, optional, protocolVersion, sha256, text, time } from './shape.ts'

export const AuthEndpointsResponse = object('AuthEndpointsResponse', {
  login: text('Where a session is opened.'),
  refresh: text('Where an access token is rotated.'),
  logout: text('Where a session is ended.'),
})

export const ProtocolWindowResponse = object('ProtocolWindowResponse', {
  min: protocolVersion('Oldest protocol version still accepted for writes.'),
  max: protocolVersion('Newest protocol version the server speaks.'),
})

export const DeprecationResponse = object('DeprecationResponse', {
  min_protocol_version: protocolVersion('Lowest protocol version still accepted after the cutoff.'),
  announced_at: time('When the announcement was first published.'),
  cutoff: time('When versions below min_protocol_version stop being accepted.'),
  detail_url: optional(text('Where a human reads what to do.')),
})

export type DeprecationResponse = Static<typeof DeprecationResponse>

export const DeprecationsResponse = object('DeprecationsResponse', {
  announcements: list(DeprecationResponse, 'Every announced cutoff, in announcement order.'),
})
export type DeprecationsResponse = Static<typeof DeprecationsResponse>

export const ServerInfoResponse = object('ServerInfoResponse', {
  server_id: text('The server’s canonical origin.'),
  api_base_url: text('Where the versioned API lives.'),
  auth: AuthEndpointsResponse,
  federation_url: optional(text('Where federated peers reach the server; absent when it does not federate.')),
  protocol_version: ProtocolWindowResponse,
  signing_key: base64('Raw Ed25519 public key that the server’s tokens verify under.', { min: 32, max: 32 }),
  signing_algorithm: text('Signature algorithm used with that key: ed25519.'),
  deprecations: list(DeprecationResponse, 'Announced cutoffs in announcement order; empty when none is pending.'),
})
export type ServerInfoResponse = Static<typeof ServerInfoResponse>

export const PublishedKeyResponse = object('PublishedKeyResponse', {
  key_id: sha256('Key fingerprint; what a receipt’s server_key_id selects on.'),
  public: base64('Ed25519 key (32 bytes) followed by an ML-DSA-65 key (1952 bytes).', { min: 1984, max: 1984 }),
  algorithm: text('Signature algorithm the key is used with: hybrid-ed25519-mldsa65.'),
  active_from: time('When the key began signing.'),
  active_to: optional(time('When it stopped; absent while it is the active key.')),
})
export type PublishedKeyResponse = Static<typeof PublishedKeyResponse>

export const AttestationKeysResponse = object('AttestationKeysResponse', {
  server_id: text('The server’s canonical origin; binds receipts to one server.'),
  keys: list(PublishedKeyResponse, 'Every key the server has signed with, oldest first, the active key last.'),
})
export type AttestationKeysResponse = Static<typeof AttestationKeysResponse>

export const RevokedTokenResponse = object('RevokedTokenResponse', {
  jti: text('The token’s jti claim.'),
  expires_at: time('The token’s own exp; the entry is pruned after it.'),
})

export const RevokedJtiResponse = object('RevokedJtiResponse', {
  generated_at: time('When the snapshot was taken.'),
  max_staleness_seconds: integer('How long a cached copy remains usable, in seconds.'),
  revoked: list(RevokedTokenResponse, 'Every revoked jti not yet past its own expiry, soonest expiry first.'),
})
export type RevokedJtiResponse = Static<typeof RevokedJtiResponse>

export const VersionResponse = object('VersionResponse', {
  name: text('The software that answers.'),
  version: text('Its release.'),
})
export type VersionResponse = Static<typeof VersionResponse>

export const HealthResponse = object('HealthResponse', { status: text('ok') })
export type HealthResponse = Static<typeof HealthResponse>

export const ReadinessResponse = object('ReadinessResponse', {
  status: text('ok, or failing.'),
  failing: Type.Optional(list(text('store or blobs'), 'What does not answer.')),
})
export type ReadinessResponse = Static<typeof ReadinessResponse>
