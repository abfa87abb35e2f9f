import type { AccountId, AssetId, DropId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { Asset, AssetBlob } from './assets.ts'

/**
 * What has changed for an account, numbered from 1 without gaps. Transactions that number changes of one account are serial up to their commit:
 * who sees a number sees all below it.
 */

/** An asset, or its tombstone, beside the number of its last change. */
export interface ChangedAsset {
  readonly changeSeq: number
  readonly asset: Asset
  /** In the order of landing; none of a tombstone. */
  readonly blobs: readonly AssetBlob[]
}

/** What has changed, by the name under which it is told. */
export type Change =
  | { readonly name: 'drop.landed'; readonly dropId: DropId; readonly opaqueId: OpaqueId }
  | { readonly name: 'drop.adopted'; readonly dropId: DropId; readonly assetId: AssetId }
  | { readonly name: 'drop.discarded'; readonly dropId: DropId }
  | { readonly name: 'asset.changed'; readonly assetId: AssetId; readonly changeSeq: number }
  | { readonly name: 'link.changed'; readonly opaqueId: OpaqueId }
  | { readonly name: 'quota.changed' }

export interface NotedEvent {
  readonly accountId: AccountId
  readonly changeSeq: number
  readonly at: Instant
  readonly change: Change
}

export interface ChangeReads {
  /** The number of the account’s last change, 0 before its first; undefined when there is no such account. */
  lastSeq(accountId: AccountId): Promise<number | undefined>
  /** Assets whose last change has a number above `changeSeq`, in its order, at most `most`. None that is only reserved. */
  assetsAfter(page: ChangesAfter): Promise<readonly ChangedAsset[]>
  /** Events with a number above `changeSeq`, in its order, at most `most`. */
  eventsAfter(page: ChangesAfter): Promise<readonly NotedEvent[]>
}

export interface ChangesAfter {
  readonly accountId: AccountId
  readonly changeSeq: number
  readonly most: number
}

export interface ChangeWrites {
  /** Takes the account’s next number. Throws when there is no such account. */
  nextSeq(accountId: AccountId): Promise<number>
  /** Throws when the number is taken. */
  insertEvent(event: NotedEvent): Promise<void>
  /** Says which number the asset’s last change has. Throws when there is no such asset. */
  numberAsset(assetId: AssetId, changeSeq: number): Promise<void>
  /** Forgets events of before then, at most `most`, the oldest first. The answer is how many. */
  pruneEvents(before: Instant, most: number): Promise<number>
}
