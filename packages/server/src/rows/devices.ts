import type { AccountId, DeviceId, Instant } from '@blindkeep/protocol/ids'
import { sql } from 'kysely'
import { type Db, postgresKind } from './db.ts'
import { type Dialect, postgresDialect, sqliteDialect } from './dialects.ts'
import { all, changesOne, count, first, insertsUnless, runs } from './statements.ts'
import { columnsOf } from './tables.ts'

export const deviceReads = {
  find: first((db, deviceId: DeviceId) =>
    db.selectFrom('devices').select(columnsOf('devices')).where('deviceId', '=', deviceId),
  ),
  /** Revoked ones too, oldest first. */
  listOf: all((db, accountId: AccountId) =>
    db
      .selectFrom('devices')
      .select(columnsOf('devices'))
      .where('accountId', '=', accountId)
      .orderBy('createdAt')
      .orderBy('deviceSeq'),
  ),
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
}

/** Reads the envelopes of all the account's blobs, so it is for an account that has used up its bound. */
const removalOfUnnamed = ({ memberOf }: Pick<Dialect, 'memberOf'>) =>
  runs((db, accountId: AccountId, kept: number) =>
    db
      .deleteFrom('devices')
      .where('deviceSeq', 'in', (from) =>
        from
          .selectFrom('devices')
          .select('deviceSeq')
          .where('accountId', '=', accountId)
          .where('revokedAt', 'is not', null)
          .orderBy('revokedAt', 'desc')
          .orderBy('deviceSeq', 'desc')
          // SQLite has no offset without a limit.
          .limit(sql.lit(Number.MAX_SAFE_INTEGER))
          .offset(kept),
      )
      .where('deviceId', 'not in', (from) =>
        from
          .selectFrom('assetBlobs')
          .select(sql<DeviceId>`${sql.raw(memberOf('envelope', 'created_by_device'))}`.as('deviceId'))
          .where('accountId', '=', accountId),
      ),
  )

const removals = { sqlite: removalOfUnnamed(sqliteDialect), postgres: removalOfUnnamed(postgresDialect) }

export const deviceWrites = {
  /** False if the id is taken, by any account. */
  insert: insertsUnless('devices', 'deviceId'),
  /** Removes the revoked devices that no present blob of the account names, but for the `kept` that were revoked last. */
  prune(db: Db, accountId: AccountId, kept: number) {
    return (db.kind === postgresKind ? removals.postgres : removals.sqlite)(db, accountId, kept)
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
