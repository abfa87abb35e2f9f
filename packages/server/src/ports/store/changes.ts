/**
 * The changes of an account, numbered from 1 without gaps. Transactions that number changes of the same account run one after another, up to their commit:
 * a reader that sees a number also sees all lower ones.
 */
import type { AccountId, AlbumId, AssetId, DropId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { Asset, AssetBlob } from './assets.ts'

/** An asset or tombstone with the number of its last change. */
export interface ChangedAsset {
  readonly changeSeq: number
  readonly asset: Asset
  /** In the order of landing; a tombstone has none. */
  readonly blobs: readonly AssetBlob[]
}

/** What has changed. `name` is the name of the event on the wire. */
export type Change =
  | { readonly name: 'drop.landed'; readonly dropId: DropId; readonly opaqueId: OpaqueId }
  | { readonly name: 'drop.adopted'; readonly dropId: DropId; readonly assetId: AssetId }
  | { readonly name: 'drop.discarded'; readonly dropId: DropId }
  | { readonly name: 'asset.changed'; readonly assetId: AssetId; readonly changeSeq: number }
  | { readonly name: 'album.changed'; readonly albumId: AlbumId }
  | { readonly name: 'link.changed'; readonly opaqueId: OpaqueId }
  | { readonly name: 'quota.changed' }
  | { readonly name: 'inbox.nearly_full' }
  | { readonly name: 'drop.refused' }

export interface NotedEvent {
  readonly accountId: AccountId
  readonly changeSeq: number
  readonly at: Instant
  readonly change: Change
}

export interface ChangeReads {
  /** The number of the account’s last change, 0 before its first; undefined if there is no such account. */
  lastSeq(accountId: AccountId): Promise<number | undefined>
  /** At most `max` assets whose last change has a number above `changeSeq`, in the order of these numbers. No reservations. */
  assetsAfter(page: ChangesAfter): Promise<readonly ChangedAsset[]>
  /** At most `max` events with a number above `changeSeq`, in the order of these numbers. */
  eventsAfter(page: ChangesAfter): Promise<readonly NotedEvent[]>
}

export interface ChangesAfter {
  readonly accountId: AccountId
  readonly changeSeq: number
  readonly max: number
}

export interface ChangeWrites {
  /** Takes the account’s next number. Throws if there is no such account. */
  nextSeq(accountId: AccountId): Promise<number>
  /** Throws if the number is taken. */
  insertEvent(event: NotedEvent): Promise<void>
  /** Inserts events that have the next numbers of their accounts, in their order. Throws if there is no such account. */
  insertNextEvents(events: readonly Omit<NotedEvent, 'changeSeq'>[]): Promise<void>
  /** Sets the number of the asset’s last change. Throws if there is no such asset. */
  numberAsset(assetId: AssetId, changeSeq: number): Promise<void>
  /** Removes at most `max` events from before `before`, oldest first. Answers how many. */
  pruneEvents(before: Instant, max: number): Promise<number>
}
