import type { Static } from 'typebox'
import type { AlbumId, AssetId, DropId } from '../ids.ts'
import { InboxEntryResponse } from './drops.ts'
import { ManifestEnvelope } from './manifest.ts'
import { AssetReceipt, BLOB_ROLES } from './receipts.ts'
import { boolean, integer, list, object, oneOf, opaqueId, optional, sha256, time, uuid } from './shape.ts'
import { blobDeclaration } from './uploads.ts'

const assetId = uuid<AssetId>('The asset.')

export const AssetBlobResponse = object('AssetBlobResponse', {
  role: oneOf(BLOB_ROLES, 'What the bytes are to the asset.'),
  hash: sha256('SHA-256 of the ciphertext.'),
  size: integer('Ciphertext bytes.', 1),
})

/** Given while the original is a drop that was adopted: what its owner decapsulates until a wrapped key is there. */
export const AssetDropResponse = object('AssetDropResponse', {
  drop_id: uuid<DropId>('The drop that was adopted.'),
  opaque_id: opaqueId('The link that it came through: the context of its seal.'),
  kem_ct: InboxEntryResponse.properties.kem_ct,
  received_at: time('When the drop landed.'),
})

export const AssetResponse = object('AssetResponse', {
  asset_id: assetId,
  album_id: uuid<AlbumId>('Its album.'),
  complete: boolean('Whether original, metadata and provenance are all there.'),
  envelope: ManifestEnvelope,
  blobs: list(AssetBlobResponse, 'What is there, one of a role, and any number of derivatives.'),
  drop: optional(AssetDropResponse),
  created_at: time('When its first blob landed.'),
  changed_at: time('When it last changed.'),
})
export type AssetResponse = Static<typeof AssetResponse>

export const AssetReceiptsResponse = object('AssetReceiptsResponse', {
  asset_id: assetId,
  receipts: list(AssetReceipt, 'Every receipt covering the asset, in receipt_seq order.'),
})
export type AssetReceiptsResponse = Static<typeof AssetReceiptsResponse>

export const AdoptRequest = object('AdoptRequest', {
  ...blobDeclaration,
  asset_id: uuid<AssetId>('The asset that the drop becomes.'),
})
export type AdoptRequest = Static<typeof AdoptRequest>

export const AdoptResponse = object('AdoptResponse', { asset_id: assetId })
export type AdoptResponse = Static<typeof AdoptResponse>
