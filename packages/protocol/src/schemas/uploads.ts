import type { Static } from 'typebox'
import type { AlbumId, AssetId, UploadId } from '../ids.ts'
import { KEY_MODES, ManifestEnvelope } from './manifest.ts'
import { BLOB_ROLES } from './receipts.ts'
import { integer, list, object, oneOf, opaqueId, optional, protocolVersion, sha256, text, time, uuid } from './shape.ts'

const uploadId = uuid<UploadId>('The upload session.')

/** What an upload and an adoption declare alike, beside the manifest that has to agree with it. */
export const blobDeclaration = {
  album_id: uuid<AlbumId>('Album that the asset belongs to.'),
  size: integer('Ciphertext bytes.', 1),
  hash: sha256('SHA-256 of the ciphertext.'),
  content_type: text('Declared content type, one of the protocol’s.'),
  crypto_suite_id: integer('The crypto suite; 1 is the only one.'),
  protocol_version: protocolVersion('Protocol version the manifest is written against.'),
  key_mode: oneOf(KEY_MODES, 'Whether the asset’s key is derived from the album’s, or wrapped under it.'),
  manifest_envelope: ManifestEnvelope,
}

export const CreateUploadRequest = object('CreateUploadRequest', {
  ...blobDeclaration,
  blob_role: oneOf(BLOB_ROLES, 'What the bytes are to the asset, which is the manifest’s file_id.'),
})
export type CreateUploadRequest = Static<typeof CreateUploadRequest>

export const CreateUploadResponse = object('CreateUploadResponse', {
  upload_id: uploadId,
  upload_url: text('Path of the chunk endpoint.'),
  suggested_chunk_size: integer('The chunk size to start with, in bytes.', 1),
})
export type CreateUploadResponse = Static<typeof CreateUploadResponse>

export const OpenUploadResponse = object('OpenUploadResponse', {
  upload_id: uploadId,
  asset_id: optional(uuid<AssetId>('The asset that it is for.')),
  blob_role: optional(oneOf(BLOB_ROLES, 'What the bytes are to be to that asset.')),
  opaque_id: optional(opaqueId('The link that it came through.')),
  size: integer('Declared bytes.', 1),
  offset: integer('Bytes that are there.'),
  state: oneOf(['open', 'finishing'], 'What is finishing goes on by itself.'),
  created_at: time('When it was created.'),
})

export const UploadsResponse = object('UploadsResponse', {
  uploads: list(
    OpenUploadResponse,
    'All open sessions that the caller is charged for, guests’ included, oldest first.',
  ),
})
export type UploadsResponse = Static<typeof UploadsResponse>
