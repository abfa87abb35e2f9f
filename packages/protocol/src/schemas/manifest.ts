import type { Static } from 'typebox'
import type { AccountId, AlbumId, AssetId, DeviceId } from '../ids.ts'
import { integer, object, oneOf, optional, protocolVersion, sha256, text, time, uuid } from './shape.ts'

export const KEY_MODES = ['derived', 'wrapped'] as const
export type KeyMode = (typeof KEY_MODES)[number]

export const MANIFEST_ACTIONS = ['create', 'replace'] as const
export type ManifestAction = (typeof MANIFEST_ACTIONS)[number]

/** The server-visible mirror of the signed manifest. Closed: a key that is not known is refused. */
export const ManifestEnvelope = object('ManifestEnvelope', {
  crypto_suite_id: integer('Must equal the top-level declaration.'),
  protocol_version: protocolVersion('Protocol version the manifest is written against.'),
  album_id: optional(uuid<AlbumId>('Must equal the top-level declaration, when given.')),
  file_id: uuid<AssetId>('The asset the blob belongs to; the same across the bundle’s members.'),
  amk_version: integer('Album-key epoch the manifest was written under.', 1),
  ciphertext_hash: sha256(
    'Must equal the top-level hash: the blob of this session, which for the original alone is the manifest’s own.',
  ),
  plaintext_size: integer('Plaintext length the manifest commits to, in bytes.'),
  chunk_size: integer('STREAM plaintext chunk size, in bytes.', 1),
  key_mode: oneOf(KEY_MODES, 'Whether the asset’s key is derived from the album’s, or wrapped under it.'),
  metadata_blob_hash: optional(sha256('Hash of the bundle’s metadata blob, when committed.')),
  original_blob_hash: optional(sha256('Hash of the bundle’s original blob. Required on a replace.')),
  created_by_user: uuid<AccountId>('Account that created the asset.'),
  created_by_device: uuid<DeviceId>('Creating device.'),
  client_version: text('Client build that wrote the manifest.', { minLength: 1, maxLength: 200 }),
  timestamp: time('When the client says it was written.'),
  action: oneOf(MANIFEST_ACTIONS, 'A new asset, or a new original of one that is there.'),
  prior_provenance_hash: optional(sha256('Provenance chain position that the write continues from.')),
  retention_until: optional(time('Before it the asset cannot be deleted.')),
})
export type ManifestEnvelope = Static<typeof ManifestEnvelope>
