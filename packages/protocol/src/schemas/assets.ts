import { Type } from 'typebox'
import type { AlbumId, AssetId, DropId } from '../ids.ts'
import type { Static } from '../static.ts'
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
  retained_until: optional(
    time('The asset cannot be deleted before this time: that of its manifest, or raised since. It may have passed.'),
  ),
  drop: optional(AssetDropResponse),
  created_at: time('When its first blob landed.'),
  changed_at: time('When it last changed.'),
})
export type AssetResponse = Static<typeof AssetResponse>

export const MAX_RETAINED_ASSETS = 1000

export const RetainAssetsRequest = object('RetainAssetsRequest', {
  asset_ids: Type.Array(assetId, { minItems: 1, maxItems: MAX_RETAINED_ASSETS, description: 'The assets.' }),
  until: time('None of them can be deleted before. A past time: 422. Count a duration from the Date of an answer.'),
})

export const RetainAssetsResponse = object('RetainAssetsResponse', {
  raised: integer('How many of the assets are retained for longer than before.'),
  skipped: list(assetId, 'Those that are not retained by this: no asset of the caller, or no manifest is signed yet.'),
})
export type RetainAssetsResponse = Static<typeof RetainAssetsResponse>

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
