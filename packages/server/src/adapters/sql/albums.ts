import type { AccountId, AlbumId, Instant } from '@blindkeep/protocol/ids'
import type { Selectable } from 'kysely'
import type { Album, AlbumReads, AlbumWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { AlbumTable } from './schema.ts'

const byId = prepared((db, given: { readonly albumId: AlbumId }) =>
  db
    .selectFrom('albums')
    .select(columnsOf('albums'))
    .where('album_id', '=', given.albumId)
    .where('deleted_at', 'is', null),
)

const ofAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('albums')
    .select(columnsOf('albums'))
    .where('account_id', '=', given.accountId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('album_seq'),
)

const countOfAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('albums')
    .select((album) => album.fn.countAll<number>().as('count'))
    .where('account_id', '=', given.accountId)
    .where('deleted_at', 'is', null),
)

const insertion = prepared((db, given: Album) =>
  db
    .insertInto('albums')
    .values({
      album_id: given.albumId,
      account_id: given.accountId,
      sealed_name: given.sealedName,
      created_at: given.createdAt,
    })
    .onConflict((conflict) => conflict.column('album_id').doNothing()),
)

const naming = prepared(
  (
    db,
    given: { readonly albumId: AlbumId; readonly accountId: AccountId; readonly sealedName: Uint8Array | undefined },
  ) =>
    db
      .updateTable('albums')
      .set({ sealed_name: given.sealedName })
      .where('album_id', '=', given.albumId)
      .where('account_id', '=', given.accountId)
      .where('deleted_at', 'is', null),
)

const anAsset = prepared((db, given: { readonly albumId: AlbumId }) =>
  db
    .selectFrom('assets')
    .select('asset_id')
    .where('album_id', '=', given.albumId)
    .where('deleted_at', 'is', null)
    .limit(1),
)

const ending = prepared((db, given: { readonly albumId: AlbumId; readonly at: Instant }) =>
  db
    .updateTable('albums')
    .set({ deleted_at: given.at, sealed_name: null })
    .where('album_id', '=', given.albumId)
    .where('deleted_at', 'is', null),
)

export function albumReads(db: Db): AlbumReads {
  return {
    async find(albumId) {
      const row = await byId.first(db, { albumId })
      return row && albumOf(row)
    },
    async listOf(accountId) {
      return (await ofAccount.all(db, { accountId })).map(albumOf)
    },
    async isEmpty(albumId) {
      return (await anAsset.first(db, { albumId })) === undefined
    },
    async count(accountId) {
      return (await countOfAccount.first(db, { accountId }))?.count ?? 0
    },
  }
}

export function albumWrites(db: Db): AlbumWrites {
  return {
    async insert(album) {
      return (await insertion.changed(db, album)) === 1
    },
    async setName(albumId, accountId, sealedName) {
      return (await naming.changed(db, { albumId, accountId, sealedName })) === 1
    },
    async end(albumId, at) {
      await ending.changed(db, { albumId, at })
    },
  }
}

function albumOf(row: Selectable<AlbumTable>): Album {
  return {
    albumId: row.album_id,
    accountId: row.account_id,
    sealedName: row.sealed_name ?? undefined,
    createdAt: row.created_at,
  }
}
