import type { AccountId, AlbumId, Instant } from '@blindkeep/protocol/ids'
import type { Kysely } from 'kysely'
import type { Db } from './db.ts'
import { pagesOf } from './pages.ts'
import { changesOne, count, exists, first, insertsUnless, runs } from './statements.ts'
import { columnsOf, type Tables } from './tables.ts'

const present = (db: Kysely<Tables>) =>
  db.selectFrom('albums').select(columnsOf('albums')).where('deletedAt', 'is', null)

const list = pagesOf({
  by: { time: 'createdAt', seq: 'albumSeq' },
  rows: (db, accountId: AccountId) => present(db).where('accountId', '=', accountId),
  entry: (db, accountId: AccountId, albumId: AlbumId) =>
    db.selectFrom('albums').where('albumId', '=', albumId).where('accountId', '=', accountId),
})

const anAsset = exists((db, albumId: AlbumId) =>
  db.selectFrom('assets').select('assetId').where('albumId', '=', albumId).where('deletedAt', 'is', null).limit(1),
)

/** Nothing finds, lists or counts a deleted album. */
export const albumReads = {
  find: first((db, albumId: AlbumId) => present(db).where('albumId', '=', albumId)),
  page: list.page,
  /** Of a deleted one too. */
  placeOf: list.placeOf,
  count: count((db, accountId: AccountId) =>
    db
      .selectFrom('albums')
      .select((album) => album.fn.countAll<number>().as('count'))
      .where('accountId', '=', accountId)
      .where('deletedAt', 'is', null),
  ),
  /** Whether it has no asset, and no upload that reserves one. */
  async isEmpty(db: Db, albumId: AlbumId): Promise<boolean> {
    return !(await anAsset(db, albumId))
  },
}

export const albumWrites = {
  /** False if the id is taken, by any account. */
  insert: insertsUnless('albums', 'albumId'),
  /** Undefined removes the name. False, and nothing changed, if the account has no such album. */
  setName: changesOne((db, albumId: AlbumId, accountId: AccountId, sealedName: Uint8Array | undefined) =>
    db
      .updateTable('albums')
      .set({ sealedName })
      .where('albumId', '=', albumId)
      .where('accountId', '=', accountId)
      .where('deletedAt', 'is', null),
  ),
  /** Deletes an album that is empty. Its id stays taken, and its deleted assets keep it. `forgetName` does the rest. */
  end: runs((db, albumId: AlbumId, at: Instant) =>
    db.updateTable('albums').set({ deletedAt: at }).where('albumId', '=', albumId).where('deletedAt', 'is', null),
  ),
  /** Brings a deleted album back, with the name that it still has. */
  revive: runs((db, albumId: AlbumId) =>
    db.updateTable('albums').set({ deletedAt: null }).where('albumId', '=', albumId),
  ),
  /** Removes the name of a deleted album, unless an asset of it is in the bin. */
  forgetName: runs((db, albumId: AlbumId) =>
    db
      .updateTable('albums')
      .set({ sealedName: null })
      .where('albumId', '=', albumId)
      .where('deletedAt', 'is not', null)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('bin').select('binSeq').where('bin.albumId', '=', albumId))),
      ),
  ),
}
