/** What a piece of work is about. JSON only, because it is stored; but what saves files is not. */
import type { Album, DescribedDrop } from '@blindkeep/client/owner'
import type { AlbumId, AssetId, BinId, DropId } from '@blindkeep/protocol/ids'

/**
 * Says all that its step needs. `id` is of the file: a file is in one piece of work at a time. Only its thumbnail is
 * made, and it is saved, whatever else becomes of it.
 */
export type WorkItem = {
  /** As the page showed it, if it has read it. */
  readonly name?: string | undefined
} & (
  | {
      readonly do: 'keep'
      readonly id: DropId
      /** As it was shown: nothing else is signed. */
      readonly drop: DescribedDrop
      readonly albumId: AlbumId
      /** Chosen before the first try, so that a repeat finds what an earlier one has made. */
      readonly assetId: AssetId
      /** RFC 3339: signed with the file, which cannot be deleted before. */
      readonly retainUntil?: string | undefined
    }
  | { readonly do: 'discard'; readonly id: DropId }
  | { readonly do: 'delete'; readonly id: AssetId }
  | { readonly do: 'restore' | 'end'; readonly id: BinId }
  | { readonly do: 'move'; readonly id: AssetId; readonly albumId: AlbumId }
  | { readonly do: 'thumbnail'; readonly id: `thumbnail ${AssetId}`; readonly assetId: AssetId }
  | {
      readonly do: 'save'
      readonly id: `save ${AssetId | DropId}`
      readonly assetId?: AssetId | undefined
      save(how: { readonly signal: AbortSignal; readonly onShare: (share: number) => void }): Promise<void>
    }
  | { readonly do: 'delete_album'; readonly id: AlbumId }
)

export type WorkKind = 'keep' | 'discard' | 'delete' | 'restore' | 'end' | 'move' | 'thumbnail' | 'save'

/**
 * Pieces of one lane wait for each other. Whole files take hours perhaps: what takes a request or three for each does
 * not wait for them.
 */
export function laneOf({ kind }: Pick<WorkOrder, 'kind'>): 'short' | 'up' | 'down' {
  if (kind === 'save') return 'down'
  return kind === 'move' || kind === 'thumbnail' ? 'up' : 'short'
}

export interface WorkOrder {
  readonly kind: WorkKind
  readonly items: readonly WorkItem[]
  /** Done once all others are, and none has failed. */
  readonly last?: WorkItem | undefined
  /** By a setting: nothing is said when it has ended. */
  readonly isUnasked?: boolean | undefined
  /** Where the files go. */
  readonly album?: Pick<Album, 'albumId' | 'name'> | undefined
}

export interface StoredWork {
  readonly id: string
  /** With the items that are left. */
  readonly order: WorkOrder
  /** Ids of items of which a page has begun the step. */
  readonly begun: ReadonlySet<string>
  /** Items at its beginning. */
  readonly total: number
  /** Milliseconds, by this device's clock. */
  readonly begunAt: number
}
