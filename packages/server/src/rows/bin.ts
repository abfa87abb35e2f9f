import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import type { AccountId, BinId, Instant } from '@blindkeep/protocol/ids'
import type { Kysely } from 'kysely'
import type { Db } from './db.ts'
import { type PageQuestion, pagesOf } from './pages.ts'
import { all, changesOne, count, first, values } from './statements.ts'
import type { AssetBlob, CreatedAsset } from './tables/assets.ts'
import type { BinRow, RemovedRows } from './tables/bin.ts'
import type { Drop } from './tables/drops.ts'
import { columnsOf, newRow, type Tables } from './tables.ts'

/** What brings it back: the rows as they were. */
export type Removed =
  | { readonly drop: Drop; readonly asset?: undefined }
  | { readonly asset: CreatedAsset; readonly blobs: readonly AssetBlob[]; readonly drop?: undefined }

export interface BinEntry extends Pick<BinRow, 'accountId' | 'entryId' | 'size' | 'deletedAt'> {
  readonly removed: Removed
}

/** An entry that has left the bin. */
export type EndedEntry = Pick<BinRow, 'entryId' | 'size' | 'albumId'>

const own = (db: Kysely<Tables>, accountId: AccountId) => db.selectFrom('bin').where('accountId', '=', accountId)

const list = pagesOf({
  by: { time: 'deletedAt', seq: 'binSeq' },
  rows: (db, accountId: AccountId) => own(db, accountId).select(columnsOf('bin')),
  entry: (db, accountId: AccountId, entryId: BinId) => own(db, accountId).where('entryId', '=', entryId),
})

const byId = first((db, accountId: AccountId, entryId: BinId) =>
  own(db, accountId).select(columnsOf('bin')).where('entryId', '=', entryId),
)

const overdue = values((db, until: Instant, max: number) =>
  db.selectFrom('bin').select('accountId').where('deletedAt', '<=', until).orderBy('deletedAt').limit(max),
)

export const binReads = {
  async find(db: Db, accountId: AccountId, entryId: BinId): Promise<BinEntry | undefined> {
    const row = await byId(db, accountId, entryId)
    return row && entryOf(row)
  },
  /** By `deletedAt` and the order of the deletions. */
  async page(db: Db, accountId: AccountId, question: PageQuestion) {
    const { rows, next } = await list.page(db, accountId, question)
    return { rows: rows.map(entryOf), next }
  },
  placeOf: list.placeOf,
  /** Bytes of all its entries. */
  bytesOf: count((db, accountId: AccountId) =>
    own(db, accountId).select((entry) => entry.fn.coalesce(entry.fn.sum<number>('size'), entry.lit(0)).as('bytes')),
  ),
  /** Some accounts with entries that were deleted until `until`: those of the `max` oldest. */
  async accountsWith(db: Db, until: Instant, max: number): Promise<readonly AccountId[]> {
    return [...new Set(await overdue(db, until, max))]
  },
}

const insertion = changesOne((db, row: BinRow) =>
  db
    .insertInto('bin')
    .values(newRow('bin', row))
    .onConflict((conflict) => conflict.columns(['accountId', 'entryId']).doNothing()),
)

const ended = ['entryId', 'size', 'albumId'] as const

export const binWrites = {
  /** False, and nothing changed, if the account's bin has an entry of this id. */
  insert: (db: Db, entry: BinEntry): Promise<boolean> => insertion(db, rowOf(entry)),
  /** Undefined if there was none. */
  remove: first((db, accountId: AccountId, entryId: BinId) =>
    db.deleteFrom('bin').where('accountId', '=', accountId).where('entryId', '=', entryId).returning(ended),
  ),
  /** Removes at most `max` that were deleted until `until`, oldest first. */
  removeUntil: all((db, accountId: AccountId, until: Instant, max: number) =>
    db
      .deleteFrom('bin')
      .where('binSeq', 'in', (entry) =>
        entry
          .selectFrom('bin')
          .select('binSeq')
          .where('accountId', '=', accountId)
          .where('deletedAt', '<=', until)
          .orderBy('deletedAt')
          .orderBy('binSeq')
          .limit(max),
      )
      .returning(ended),
  ),
}

function rowOf({ removed, ...entry }: BinEntry): BinRow {
  const { opaqueId, albumId } = { opaqueId: removed.drop?.opaqueId, albumId: removed.asset?.albumId }
  return { ...entry, opaqueId, albumId, removed: packed(removed) }
}

function packed(removed: Removed): RemovedRows {
  if (removed.drop !== undefined) return { drop: { ...removed.drop, kemCt: toBase64(removed.drop.kemCt) } }
  const { asset, blobs } = removed
  return { asset: { ...asset, drop: asset.drop && { ...asset.drop, kemCt: toBase64(asset.drop.kemCt) } }, blobs }
}

function entryOf({ accountId, entryId, size, deletedAt, removed }: BinRow): BinEntry {
  return { accountId, entryId, size, deletedAt, removed: unpacked(removed) }
}

/** What was undefined is missing in JSON, and read as undefined. */
function unpacked(removed: RemovedRows): Removed {
  if (removed.drop !== undefined) return { drop: { ...removed.drop, kemCt: fromBase64(removed.drop.kemCt) } }
  const { asset, blobs } = removed
  return { asset: { ...asset, drop: asset.drop && { ...asset.drop, kemCt: fromBase64(asset.drop.kemCt) } }, blobs }
}
