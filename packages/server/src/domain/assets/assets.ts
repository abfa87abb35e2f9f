/** The assets of an account. */
import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import type { AccountId, AssetId, Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { accountLock, type HeldBlob, isStoreBroken, type ReceiptRow, type Store } from '../../ports/store.ts'
import type { Serving } from '../custody/servable.ts'
import type { Refuses } from '../ground/refusals.ts'
import type { AssetBlobs, RemovalRefusal } from './assetBlobs.ts'
import { type AssetView, isVisible, viewOf } from './assetView.ts'

interface AssetPorts {
  readonly store: Store
  readonly serving: Serving
  readonly clock: Clock
  readonly assetBlobs: AssetBlobs
}

export type Assets = ReturnType<typeof createAssets>

export function createAssets({ store, serving, clock, assetBlobs }: AssetPorts) {
  return {
    async get(accountId: AccountId, assetId: AssetId): Promise<AssetView | Refuses<'asset_not_found'>> {
      return store.read(async (tx) => {
        const asset = await tx.assets.find(assetId)
        return isVisible(asset, accountId)
          ? viewOf(asset, await tx.assets.blobsOf(assetId))
          : { refused: 'asset_not_found' }
      })
    },

    /** `ifProvenance`: what its provenance has to be. */
    async remove(
      accountId: AccountId,
      assetId: AssetId,
      { ifProvenance }: { readonly ifProvenance?: Sha256Hex | undefined } = {},
    ): Promise<RemovalRefusal | undefined> {
      const at = clock.now()
      const removal = { accountId, assetId, ifProvenance }
      return store.write([accountLock(accountId)], (tx) => assetBlobs.remove(tx, removal, at))
    },

    /** For a deleted account. Removes assets of at most `maxBlobs` blobs; retained ones stay. Returns how many. */
    async removeSome(accountId: AccountId, maxBlobs: number): Promise<number> {
      const at = clock.now()
      return store.write([accountLock(accountId)], async (tx) => {
        let removed = 0
        for (const assetId of await tx.assets.someWithBlobs(accountId, maxBlobs))
          if ((await assetBlobs.remove(tx, { accountId, assetId, isFinal: true }, at)) === undefined) removed += 1
        return removed
      })
    },

    /** Releases metadata that have waited since before this time for a manifest, of at most `max` assets. */
    async removePending(before: Instant, max: number): Promise<void> {
      const found = await store.read((tx) => tx.assets.pendingBefore(before, max))
      const releaseThose = ({ accountId, assetId }: (typeof found)[number]) =>
        store.write([accountLock(accountId)], async (tx) => {
          for (const blob of await tx.assets.blobsOf(assetId))
            if (blob.pendingAfter !== undefined && blob.landedAt < before)
              await assetBlobs.release(tx, accountId, blob, clock.now())
        })
      await tryEachInTurn(found, releaseThose, isStoreBroken)
    },

    async receipts(
      accountId: AccountId,
      assetId: AssetId,
    ): Promise<readonly ReceiptRow[] | Refuses<'receipts_not_found'>> {
      return store.read(async (tx) =>
        isVisible(await tx.assets.find(assetId), accountId)
          ? tx.receipts.ofAsset(assetId)
          : { refused: 'receipts_not_found' },
      )
    },

    /** An object of this content that may be served, of those that the account’s assets hold. */
    async content(
      accountId: AccountId,
      ciphertextHash: Sha256Hex,
    ): Promise<HeldBlob | Refuses<'blob_not_found' | 'blob_withheld' | 'storage_unavailable'>> {
      const served = await store.read((tx) => tx.assets.objectsOf(accountId, ciphertextHash))
      if (served.length === 0) return { refused: 'blob_not_found' }
      // A hold is on the content, so it applies to all its objects.
      if (served.some(({ isOnHold }) => isOnHold)) return { refused: 'blob_withheld' }
      return serving.firstWhole(served)
    },
  }
}
