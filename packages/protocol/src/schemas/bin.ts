import type { BinId } from '../ids.ts'
import type { Static } from '../static.ts'
import { AssetResponse } from './assets.ts'
import { InboxEntryResponse } from './drops.ts'
import { integer, list, object, optional, time, uuid } from './shape.ts'

export const BinEntryResponse = object('BinEntryResponse', {
  bin_id: uuid<BinId>('The drop_id or asset_id of what is in the bin.'),
  size: integer('Bytes charged to the caller until the entry ends.', 1),
  deleted_at: time('When it was discarded or deleted.'),
  empties_at: time('From then on it cannot be restored. The entry ends within a minute after that.'),
  drop: optional(InboxEntryResponse),
  asset: optional(AssetResponse),
})
export type BinEntryResponse = Static<typeof BinEntryResponse>

export const BinResponse = object('BinResponse', {
  entries: list(BinEntryResponse, 'What is in the bin, oldest first unless the request says otherwise.'),
})
export type BinResponse = Static<typeof BinResponse>
