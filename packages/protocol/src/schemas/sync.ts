import type { AlbumId, AssetId, DropId } from '../ids.ts'
import type { Static } from '../static.ts'
import { AssetResponse } from './assets.ts'
import { boolean, integer, list, object, oneOf, opaqueId, optional, plainText, time, uuid } from './shape.ts'

/** The feed of assets, and the events that a connected client receives. */

export const SYNC_ENTRIES_DEFAULT = 100
export const MAX_SYNC_ENTRIES = 1000

const assetId = uuid<AssetId>('The asset.')
const seq = integer('The number of the change in its account.', 1)

export const SyncEntryResponse = object('SyncEntryResponse', {
  seq,
  change: oneOf(['upsert', 'delete'], 'upsert: the asset is new or changed. delete: it was deleted.'),
  asset_id: assetId,
  asset: optional(AssetResponse),
  changed_at: time('When it last changed.'),
})
export type SyncEntryResponse = Static<typeof SyncEntryResponse>

export const SyncResponse = object('SyncResponse', {
  entries: list(SyncEntryResponse, 'The changed assets, each with its latest change, in the order of seq.'),
  next_cursor: plainText('Opaque. Send it as cursor to get the entries after these.'),
  has_more: boolean('Whether there are more entries already.'),
})
export type SyncResponse = Static<typeof SyncResponse>

const dropId = uuid<DropId>('The drop.')
const link = opaqueId('The link.')
const albumId = uuid<AlbumId>('The album. It has another name, or was deleted.')

/** The data of each event, by its name. */
export const EVENTS = {
  'drop.landed': object('DropLandedEvent', { drop_id: dropId, opaque_id: link }),
  'drop.adopted': object('DropAdoptedEvent', { drop_id: dropId, asset_id: assetId }),
  'drop.discarded': object('DropDiscardedEvent', { drop_id: dropId }),
  /** It was discarded, and its owner has restored it. */
  'drop.restored': object('DropRestoredEvent', { drop_id: dropId, opaque_id: link }),
  'asset.changed': object('AssetChangedEvent', { asset_id: assetId, seq }),
  'album.changed': object('AlbumChangedEvent', { album_id: albumId }),
  'link.changed': object('LinkChangedEvent', { opaque_id: link }),
  'quota.changed': object('QuotaChangedEvent', {}),
  /** From eight tenths on, at most once an hour. */
  'inbox.nearly_full': object('InboxNearlyFullEvent', {}),
  /** A link took no file of a guest; at most once an hour for each reason of the account, and for each link. */
  'drop.refused': object('DropRefusedEvent', {}),
  /** Only in accounts with a channel that is not a browser: the operator has moved the server. */
  'server.moved': object('ServerMovedEvent', {
    from: plainText('The origin that the server had.'),
    to: plainText('The origin that it has now.'),
  }),
  /** Earlier events are no longer available: the client reads all lists again. */
  reset: object('ResetEvent', {}),
} as const

export type EventName = keyof typeof EVENTS
export type EventData<Name extends EventName> = Static<(typeof EVENTS)[Name]>
