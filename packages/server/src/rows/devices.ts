import type { AccountId, DeviceId, Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import { type Kysely, sql } from 'kysely'
import { type Db, postgresKind } from './db.ts'
import { type Dialect, postgresDialect, sqliteDialect } from './dialects.ts'
import { pagesOf } from './pages.ts'
import { all, changesOne, count, first, insertsUnless, runs, values } from './statements.ts'
import { columnsOf, type Tables } from './tables.ts'

export interface BlobPlace {
  readonly ciphertextHash: Sha256Hex
  readonly blobSeq: number
}

function signers({ memberOf }: Pick<Dialect, 'memberOf'>) {
  const page = (db: Kysely<Tables>, accountId: AccountId, max: number) =>
    db
      .selectFrom('assetBlobs')
      .select(['ciphertextHash', 'blobSeq'])
      .select(sql<DeviceId>`${sql.raw(memberOf('envelope', 'created_by_device'))}`.as('deviceId'))
      .where('accountId', '=', accountId)
      .orderBy('ciphertextHash')
      .orderBy('blobSeq')
      .limit(max)
  return {
    first: all(page),
    next: all((db, accountId: AccountId, max: number, after: BlobPlace) =>
      page(db, accountId, max).where(({ eb, refTuple, tuple }) =>
        eb(refTuple('ciphertextHash', 'blobSeq'), '>', tuple(after.ciphertextHash, after.blobSeq)),
      ),
    ),
  }
}

const signersIn = { sqlite: signers(sqliteDialect), postgres: signers(postgresDialect) }

const own = (db: Kysely<Tables>, accountId: AccountId) => db.selectFrom('devices').where('accountId', '=', accountId)

const list = pagesOf({
  by: { time: 'createdAt', seq: 'deviceSeq' },
  rows: (db, accountId: AccountId) => own(db, accountId).select(columnsOf('devices')),
  entry: (db, accountId: AccountId, deviceId: DeviceId) => own(db, accountId).where('deviceId', '=', deviceId),
})

const removal = runs((db, deviceId: DeviceId, accountId: AccountId) =>
  db
    .deleteFrom('devices')
    .where('deviceId', '=', deviceId)
    .where('accountId', '=', accountId)
    .where('revokedAt', 'is not', null),
)

export const deviceReads = {
  find: first((db, deviceId: DeviceId) =>
    db.selectFrom('devices').select(columnsOf('devices')).where('deviceId', '=', deviceId),
  ),
  /** Revoked ones too. */
  page: list.page,
  placeOf: list.placeOf,
  /** Revoked ones too. */
  count: count((db, accountId: AccountId) =>
    db
      .selectFrom('devices')
      .select((device) => device.fn.countAll<number>().as('count'))
      .where('accountId', '=', accountId),
  ),
  /** Devices that are not revoked. */
  countLive: count((db, accountId: AccountId) =>
    db
      .selectFrom('devices')
      .select((device) => device.fn.countAll<number>().as('live'))
      .where('accountId', '=', accountId)
      .where('revokedAt', 'is', null),
  ),
  /** The revoked ones but for the `kept` that were revoked last. */
  revokedBefore: values((db, accountId: AccountId, kept: number) =>
    db
      .selectFrom('devices')
      .select('deviceId')
      .where('accountId', '=', accountId)
      .where('revokedAt', 'is not', null)
      .orderBy('revokedAt', 'desc')
      .orderBy('deviceSeq', 'desc')
      // SQLite has no offset without a limit.
      .limit(sql.lit(Number.MAX_SAFE_INTEGER))
      .offset(kept),
  ),
  /** The devices that signed at most `max` present blobs, by hash. `next` is undefined after the last ones. */
  async signersOf(
    db: Db,
    accountId: AccountId,
    { after, max }: { readonly after: BlobPlace | undefined; readonly max: number },
  ): Promise<{ readonly signers: readonly DeviceId[]; readonly next: BlobPlace | undefined }> {
    const { first, next } = db.kind === postgresKind ? signersIn.postgres : signersIn.sqlite
    const rows = await (after === undefined ? first(db, accountId, max) : next(db, accountId, max, after))
    const last = rows.length === max ? rows.at(-1) : undefined
    return {
      signers: rows.map(({ deviceId }) => deviceId),
      next: last && { ciphertextHash: last.ciphertextHash, blobSeq: last.blobSeq },
    }
  },
}

export const deviceWrites = {
  /** False if the id is taken, by any account. */
  insert: insertsUnless('devices', 'deviceId'),
  /** Removes those of them that are revoked. */
  async remove(db: Db, accountId: AccountId, deviceIds: readonly DeviceId[]): Promise<void> {
    for (const deviceId of deviceIds) await removal(db, deviceId, accountId)
  },
  /** Undefined removes the name. */
  setName: runs((db, deviceId: DeviceId, sealedName: Uint8Array | undefined) =>
    db.updateTable('devices').set({ sealedName }).where('deviceId', '=', deviceId),
  ),
  /** False if the account has no such device, or it was revoked before. */
  revoke: changesOne((db, deviceId: DeviceId, accountId: AccountId, at: Instant) =>
    db
      .updateTable('devices')
      .set({ revokedAt: at })
      .where('deviceId', '=', deviceId)
      .where('accountId', '=', accountId)
      .where('revokedAt', 'is', null),
  ),
}
