/** What a piece of work is about. JSON only, because it is stored. */
import type { Album, DescribedDrop } from '@blindkeep/client/owner'
import type { AlbumId, AssetId, DropId } from '@blindkeep/protocol/ids'

/** Says all that its step needs. `id` is of the file: a file is in one piece of work at a time. */
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
    }
  | { readonly do: 'discard'; readonly id: DropId }
  | { readonly do: 'delete'; readonly id: AssetId }
  | { readonly do: 'delete_album'; readonly id: AlbumId }
)

export type WorkKind = 'keep' | 'discard' | 'delete'

export interface WorkOrder {
  readonly kind: WorkKind
  readonly items: readonly WorkItem[]
  /** Done once all others are, and none has failed. */
  readonly last?: WorkItem | undefined
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
