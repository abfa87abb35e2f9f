/**
 * The changes of an account, numbered from 1 without gaps. Transactions that number changes of the same account run one
 * after another, up to their commit: a reader that sees a number also sees all lower ones.
 */
import type { AccountId, AlbumId, AssetId, DropId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import { given } from '../columns.ts'

/** What has changed. `name` is the name of the event on the wire. */
export type Change =
  | { readonly name: 'drop.landed'; readonly dropId: DropId; readonly opaqueId: OpaqueId }
  | { readonly name: 'drop.adopted'; readonly dropId: DropId; readonly assetId: AssetId }
  | { readonly name: 'drop.discarded'; readonly dropId: DropId }
  | { readonly name: 'drop.restored'; readonly dropId: DropId; readonly opaqueId: OpaqueId }
  | { readonly name: 'asset.changed'; readonly assetId: AssetId; readonly changeSeq: number }
  | { readonly name: 'album.changed'; readonly albumId: AlbumId }
  | { readonly name: 'link.changed'; readonly opaqueId: OpaqueId }
  | { readonly name: 'quota.changed' }
  | { readonly name: 'inbox.nearly_full' }
  | { readonly name: 'drop.refused' }
  | { readonly name: 'server.moved'; readonly from: string; readonly to: string }

/** The events that clients listen to, for as long as a client may resume after one. */
export const events = {
  accountId: given<AccountId>(),
  changeSeq: given<number>(),
  at: given<Instant>(),
  name: given<Change['name']>(),
  /** The other members of `Change`, as JSON. */
  data: given<string>(),
}
