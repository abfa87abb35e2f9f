import type { AccountId, AssetId, Instant } from '@blindkeep/protocol/ids'
import type { ChangedAsset, Store } from '../../ports/store.ts'
import { type AssetView, isVisible, viewOf } from '../assets/assets.ts'
import type { Refuses } from '../refusals.ts'
import type { Positions } from './positions.ts'

/** The feed of an account's assets: each at the place of its last change, as it is now, so that reading on to the end gives the last state of each. */
export interface FeedEntry {
  readonly changeSeq: number
  readonly assetId: AssetId
  readonly changedAt: Instant
  /** Undefined when it was deleted. */
  readonly view: AssetView | undefined
}

interface FeedPage {
  readonly entries: readonly FeedEntry[]
  readonly nextCursor: string
  readonly hasMore: boolean
}

export type Feed = ReturnType<typeof createFeed>

export function createFeed({ store, positions }: { readonly store: Store; readonly positions: Positions }) {
  return {
    /** From the beginning when no cursor is given. */
    async page(
      accountId: AccountId,
      { cursor, most }: { readonly cursor: string | undefined; readonly most: number },
    ): Promise<FeedPage | Refuses<'cursor_invalid'>> {
      const after = cursor === undefined ? 0 : await positions.parse(accountId, cursor)
      if (after === undefined) return { refused: 'cursor_invalid' }
      const found = await store.read(async (tx) => {
        const isAhead = after > ((await tx.changes.lastSeq(accountId)) ?? 0)
        return isAhead ? undefined : tx.changes.assetsAfter({ accountId, changeSeq: after, max: most + 1 })
      })
      if (found === undefined) return { refused: 'cursor_invalid' }
      const entries = found.slice(0, most).map(entryOf)
      const nextCursor = await positions.textOf(accountId, entries.at(-1)?.changeSeq ?? after)
      return { entries, nextCursor, hasMore: found.length > most }
    },
  }
}

function entryOf({ changeSeq, asset, blobs }: ChangedAsset): FeedEntry {
  const { assetId, accountId, changedAt } = asset
  if (changedAt === undefined) throw new Error('an asset whose change has a number has changed')
  return { changeSeq, assetId, changedAt, view: isVisible(asset, accountId) ? viewOf(asset, blobs) : undefined }
}
