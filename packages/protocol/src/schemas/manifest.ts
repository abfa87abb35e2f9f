import type { AccountId, AlbumId, AssetId, DeviceId } from '../ids.ts'
import type { Static } from '../static.ts'
import { integer, object, oneOf, optional, protocolVersion, sha256, text, time, uuid } from './shape.ts'

export const KEY_MODES = ['derived', 'wrapped'] as const
export type KeyMode = (typeof KEY_MODES)[number]

const MANIFEST_ACTIONS = ['create', 'replace'] as const
export type ManifestAction = (typeof MANIFEST_ACTIONS)[number]

/** The part of the signed manifest that the server sees. Unknown members are refused. */
export const ManifestEnvelope = object('ManifestEnvelope', {
  crypto_suite_id: integer('Must equal the member of the declaration.'),
  protocol_version: protocolVersion('Protocol version of the manifest.'),
  album_id: optional(uuid<AlbumId>('Must equal the member of the declaration, if present.')),
  file_id: uuid<AssetId>('The asset of the blob, the same for all its blobs.'),
  amk_version: integer('Epoch of the album key of the manifest.', 1),
  ciphertext_hash: sha256(
    'Must equal the member hash of the declaration. Only for an original is it also the hash in the signed manifest.',
  ),
  plaintext_size: integer('Plaintext size in the manifest, in bytes.'),
  chunk_size: integer('Plaintext size of a STREAM chunk, in bytes.', 1),
  key_mode: oneOf(KEY_MODES, 'Whether the asset’s key is derived from the album’s key or wrapped under it.'),
  metadata_blob_hash: optional(sha256('Hash of the metadata blob, if the manifest has it.')),
  original_blob_hash: optional(sha256('Hash of the original blob. Required for a replace.')),
  created_by_user: uuid<AccountId>('Account that created the asset.'),
  created_by_device: uuid<DeviceId>('Device that created the asset.'),
  client_version: text('Client that wrote the manifest, with its version.', { minLength: 1, maxLength: 200 }),
  timestamp: time('When the manifest was written, by the client’s clock.'),
  action: oneOf(
    MANIFEST_ACTIONS,
    'Create a new asset; or replace the original of an existing one, or beside the present original its metadata and manifest.',
  ),
  prior_provenance_hash: optional(sha256('Hash of the provenance blob that this one follows.')),
  retention_until: optional(time('The asset cannot be deleted before this time.')),
})
export type ManifestEnvelope = Static<typeof ManifestEnvelope>
