import type { Static } from 'typebox'
import type { AlbumId, AssetId, DropId } from '../ids.ts'
import { InboxEntryResponse } from './drops.ts'
import { ManifestEnvelope } from './manifest.ts'
import { AssetReceipt, BLOB_ROLES } from './receipts.ts'
import { boolean, integer, list, object, oneOf, opaqueId, optional, sha256, time, uuid } from './shape.ts'
import { blobDeclaration } from './uploads.ts'

const assetId = uuid<AssetId>('The asset.')

export const AssetBlobResponse = object('AssetBlobResponse', {
  role: oneOf(BLOB_ROLES, 'The role of the blob in the asset.'),
  hash: sha256('SHA-256 of the ciphertext.'),
  size: integer('Ciphertext bytes.', 1),
})

/** Present while the original is an adopted drop: the owner decapsulates `kem_ct` until the asset has a wrapped key. */
const AssetDropResponse = object('AssetDropResponse', {
  drop_id: uuid<DropId>('The drop that was adopted.'),
  opaque_id: opaqueId('The link of the drop: the context of its seal.'),
  kem_ct: InboxEntryResponse.properties.kem_ct,
  received_at: time('When the drop landed.'),
})

export const AssetResponse = object('AssetResponse', {
  asset_id: assetId,
  album_id: uuid<AlbumId>('Its album.'),
  complete: boolean('Whether the asset has its original, metadata and provenance.'),
  envelope: ManifestEnvelope,
  blobs: list(AssetBlobResponse, 'The blobs of the asset: at most one of each role, and any number of derivatives.'),
  drop: optional(AssetDropResponse),
  created_at: time('When its first blob landed.'),
  changed_at: time('When it last changed.'),
})
export type AssetResponse = Static<typeof AssetResponse>

export const AssetReceiptsResponse = object('AssetReceiptsResponse', {
  asset_id: assetId,
  receipts: list(AssetReceipt, 'Every receipt of the asset, in receipt_seq order.'),
})
export type AssetReceiptsResponse = Static<typeof AssetReceiptsResponse>

export const AdoptRequest = object('AdoptRequest', {
  ...blobDeclaration,
  asset_id: uuid<AssetId>('The asset that the drop becomes.'),
})
export type AdoptRequest = Static<typeof AdoptRequest>

export const AdoptResponse = object('AdoptResponse', { asset_id: assetId })
export type AdoptResponse = Static<typeof AdoptResponse>
