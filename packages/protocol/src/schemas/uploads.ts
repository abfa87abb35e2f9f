import type { AlbumId, AssetId, UploadId } from '../ids.ts'
import type { Static } from '../static.ts'
import { KEY_MODES, ManifestEnvelope } from './manifest.ts'
import { BLOB_ROLES } from './receipts.ts'
import {
  integer,
  list,
  object,
  oneOf,
  opaqueId,
  optional,
  plainText,
  protocolVersion,
  sha256,
  text,
  time,
  uuid,
} from './shape.ts'

const uploadId = uuid<UploadId>('The upload session.')

/** What uploads and adoptions both declare. The manifest must agree with it. */
export const blobDeclaration = {
  album_id: uuid<AlbumId>('The album of the asset.'),
  size: integer('Ciphertext bytes.', 1),
  hash: sha256('SHA-256 of the ciphertext.'),
  content_type: text('Declared content type, one of those of the protocol.'),
  crypto_suite_id: integer('The crypto suite; 1 is the only one.'),
  protocol_version: protocolVersion('Protocol version of the manifest.'),
  key_mode: oneOf(KEY_MODES, 'Whether the asset’s key is derived from the album’s key or wrapped under it.'),
  manifest_envelope: ManifestEnvelope,
}

export const CreateUploadRequest = object('CreateUploadRequest', {
  ...blobDeclaration,
  blob_role: oneOf(BLOB_ROLES, 'The role of the blob in the asset. The manifest’s file_id names the asset.'),
})
export type CreateUploadRequest = Static<typeof CreateUploadRequest>

export const CreateUploadResponse = object('CreateUploadResponse', {
  upload_id: uploadId,
  upload_url: plainText('Path of the chunk endpoint, with the path of the public URL.'),
  suggested_chunk_size: integer('The chunk size to start with, in bytes.', 1),
})
export type CreateUploadResponse = Static<typeof CreateUploadResponse>

const OpenUploadResponse = object('OpenUploadResponse', {
  upload_id: uploadId,
  asset_id: optional(uuid<AssetId>('The asset of the blob.')),
  blob_role: optional(oneOf(BLOB_ROLES, 'The role of the blob in that asset.')),
  opaque_id: optional(opaqueId('The link of the drop.')),
  size: integer('Declared size in bytes.', 1),
  offset: integer('Bytes received so far.'),
  state: oneOf(['open', 'finishing'], 'A finishing session completes without the client.'),
  created_at: time('When it was created.'),
})

export const UploadsResponse = object('UploadsResponse', {
  uploads: list(
    OpenUploadResponse,
    'All sessions that the caller’s quota is charged for, including those of guests, oldest first.',
  ),
})
export type UploadsResponse = Static<typeof UploadsResponse>
