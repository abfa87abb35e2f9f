import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import { readReceipt } from '@blindkeep/protocol/receipt'
import type { AssetResponse } from '@blindkeep/protocol/schemas/assets'
import type { Assets } from '../../domain/assets/assets.ts'
import type { AssetView } from '../../domain/assets/assetView.ts'
import type { RetainAssets } from '../../domain/assets/retainAssets.ts'
import type { Serving } from '../../domain/custody/servable.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import { spenderOf } from '../../domain/ground/sessionShare.ts'
import type { Routes } from '../call.ts'
import { contentAnswer, contentHead } from '../content.ts'
import { givenInstant } from '../wire/givenInstant.ts'

type Row = 'asset' | 'deleteAsset' | 'retainAssets' | 'assetReceipts' | 'blob' | 'blobHead'

/** A blob never changes under its hash. The owner's browser may keep it, sealed as it is; shared caches may not. */
export const IMMUTABLE = { cacheControl: 'private, max-age=31536000, immutable' }

export function assetRoutes({
  assets,
  retainAssets,
  serving,
}: {
  readonly assets: Assets
  readonly retainAssets: RetainAssets
  readonly serving: Serving
}): Pick<Routes, Row> {
  return {
    async asset({ params, caller }) {
      const view = await assets.get(caller.account.accountId, params.asset_id)
      return isRefusal(view) ? view : { status: 200, body: assetEntry(view) }
    },

    async deleteAsset({ params, query, caller }) {
      const { if_provenance: ifProvenance } = query
      return (await assets.remove(caller.account.accountId, params.asset_id, { ifProvenance })) ?? { status: 204 }
    },

    async retainAssets({ json: { asset_ids: assetIds, until }, caller }) {
      const answer = await retainAssets(spenderOf(caller), { assetIds, until: givenInstant(until) })
      return isRefusal(answer) ? answer : { status: 200, body: { ...answer, skipped: [...answer.skipped] } }
    },

    async assetReceipts({ params, caller }) {
      const rows = await assets.receipts(caller.account.accountId, params.asset_id)
      if (isRefusal(rows)) return rows
      const receipts = rows.map(({ receiptCbor }) => readReceipt(receiptCbor))
      return { status: 200, body: { asset_id: params.asset_id, receipts } }
    },

    async blob({ params, caller, header }) {
      const content = await assets.content(caller.account.accountId, params.hash)
      return isRefusal(content) ? content : contentAnswer({ ...content, ...IMMUTABLE }, header, serving)
    },

    async blobHead({ params, caller, header }) {
      const content = await assets.content(caller.account.accountId, params.hash)
      return isRefusal(content) ? content : contentHead({ ...content, ...IMMUTABLE }, header)
    },
  }
}

export function assetEntry({ asset, blobs, envelope, isComplete, retainedUntil }: AssetView): AssetResponse {
  const { drop } = asset
  return {
    asset_id: asset.assetId,
    album_id: asset.albumId,
    complete: isComplete,
    envelope,
    blobs: blobs.map(({ role, ciphertextHash, size }) => ({ role, hash: ciphertextHash, size })),
    ...(retainedUntil !== undefined && { retained_until: formatInstant(retainedUntil) }),
    ...(drop && {
      drop: {
        drop_id: drop.dropId,
        opaque_id: drop.opaqueId,
        kem_ct: toBase64(drop.kemCt),
        received_at: formatInstant(drop.receivedAt),
      },
    }),
    created_at: formatInstant(asset.createdAt),
    changed_at: formatInstant(asset.changedAt),
  }
}
