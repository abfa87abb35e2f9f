/**
 * The feed of an account's assets. Each asset appears once, at its last change, with its present values, so a client
 * that reads to the end has the present state.
 */
import type { AccountId, AssetId, Instant } from '@blindkeep/protocol/ids'
import type { ChangedAsset, Store } from '../../ports/store.ts'
import { type AssetView, isVisible, viewOf } from '../assets/assetView.ts'
import type { Positions } from '../changes/positions.ts'
import type { Refuses } from '../ground/refusals.ts'

export interface FeedEntry {
  readonly changeSeq: number
  readonly assetId: AssetId
  readonly changedAt: Instant
  /** Undefined for a deleted asset. */
  readonly view: AssetView | undefined
}

export interface FeedPage {
  readonly entries: readonly FeedEntry[]
  readonly nextCursor: string
  readonly hasMore: boolean
}

export type Feed = ReturnType<typeof createFeed>

export function createFeed({ store, positions }: { readonly store: Store; readonly positions: Positions }) {
  return {
    /** Starts at the beginning without a cursor. */
    async page(
      accountId: AccountId,
      { cursor, max }: { readonly cursor: string | undefined; readonly max: number },
    ): Promise<FeedPage | Refuses<'cursor_invalid'>> {
      const after = cursor === undefined ? 0 : await positions.parse(accountId, cursor)
      if (after === undefined) return { refused: 'cursor_invalid' }
      const found = await store.read(async (tx) => {
        const isAhead = after > ((await tx.changes.lastSeq(accountId)) ?? 0)
        return isAhead ? undefined : tx.changes.assetsAfter({ accountId, changeSeq: after, max: max + 1 })
      })
      if (found === undefined) return { refused: 'cursor_invalid' }
      const entries = found.slice(0, max).map(entryOf)
      const nextCursor = await positions.textOf(accountId, entries.at(-1)?.changeSeq ?? after)
      return { entries, nextCursor, hasMore: found.length > max }
    },
  }
}

function entryOf({ changeSeq, asset, blobs }: ChangedAsset): FeedEntry {
  const { assetId, accountId, changedAt } = asset
  if (changedAt === undefined) throw new Error('an asset in the feed has no time of its change')
  return { changeSeq, assetId, changedAt, view: isVisible(asset, accountId) ? viewOf(asset, blobs) : undefined }
}
