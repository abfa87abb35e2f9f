import type { AccountId, DeviceId, Instant } from '@blindkeep/protocol/ids'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { BlobPlace, Device, DeviceReads, DeviceWrites, NewDevice } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import { type Db, postgresKind } from './db.ts'
import { type Dialect, postgresDialect, sqliteDialect } from './dialects.ts'
import { prepared } from './prepared.ts'
import type { DeviceTable, Schema } from './schema.ts'

const byId = prepared((db, given: { readonly deviceId: DeviceId }) =>
  db.selectFrom('devices').select(columnsOf('devices')).where('device_id', '=', given.deviceId),
)

const ofAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('devices')
    .select(columnsOf('devices'))
    .where('account_id', '=', given.accountId)
    .orderBy('created_at')
    .orderBy('device_seq'),
)

const liveCount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('devices')
    .select((device) => device.fn.countAll<number>().as('live'))
    .where('account_id', '=', given.accountId)
    .where('revoked_at', 'is', null),
)

const countOfAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('devices')
    .select((device) => device.fn.countAll<number>().as('count'))
    .where('account_id', '=', given.accountId),
)

const revokedBefore = prepared((db, given: { readonly accountId: AccountId; readonly kept: number }) =>
  db
    .selectFrom('devices')
    .select('device_id')
    .where('account_id', '=', given.accountId)
    .where('revoked_at', 'is not', null)
    .orderBy('revoked_at', 'desc')
    .orderBy('device_seq', 'desc')
    // SQLite has no offset without a limit.
    .limit(sql.lit(Number.MAX_SAFE_INTEGER))
    .offset(given.kept),
)

interface SignedPage {
  readonly accountId: AccountId
  readonly max: number
}

function signers({ memberOf }: Pick<Dialect, 'memberOf'>) {
  const page = (db: Kysely<Schema>, given: SignedPage) =>
    db
      .selectFrom('asset_blobs')
      .select(['ciphertext_hash', 'blob_seq'])
      .select(sql<DeviceId>`${sql.raw(memberOf('envelope', 'created_by_device'))}`.as('device_id'))
      .where('account_id', '=', given.accountId)
      .orderBy('ciphertext_hash')
      .orderBy('blob_seq')
      .limit(given.max)
  return {
    first: prepared(page),
    next: prepared((db, given: SignedPage & BlobPlace) =>
      page(db, given).where(({ eb, refTuple, tuple }) =>
        eb(refTuple('ciphertext_hash', 'blob_seq'), '>', tuple(given.ciphertextHash, given.blobSeq)),
      ),
    ),
  }
}

const signersIn = { sqlite: signers(sqliteDialect), postgres: signers(postgresDialect) }

const removal = prepared((db, given: { readonly accountId: AccountId; readonly deviceId: DeviceId }) =>
  db
    .deleteFrom('devices')
    .where('device_id', '=', given.deviceId)
    .where('account_id', '=', given.accountId)
    .where('revoked_at', 'is not', null),
)

const insertion = prepared((db, given: NewDevice) =>
  db
    .insertInto('devices')
    .values({
      device_id: given.deviceId,
      account_id: given.accountId,
      public_key: given.publicKey,
      mac: given.mac,
      created_at: given.createdAt,
    })
    .onConflict((conflict) => conflict.column('device_id').doNothing()),
)

const naming = prepared((db, given: { readonly deviceId: DeviceId; readonly sealedName: Uint8Array | undefined }) =>
  db.updateTable('devices').set({ sealed_name: given.sealedName }).where('device_id', '=', given.deviceId),
)

const firstRevocation = prepared(
  (db, given: { readonly deviceId: DeviceId; readonly accountId: AccountId; readonly at: Instant }) =>
    db
      .updateTable('devices')
      .set({ revoked_at: given.at })
      .where('device_id', '=', given.deviceId)
      .where('account_id', '=', given.accountId)
      .where('revoked_at', 'is', null),
)

export function deviceReads(db: Db): DeviceReads {
  return {
    async find(deviceId) {
      const row = await byId.first(db, { deviceId })
      return row && deviceOf(row)
    },
    async listOf(accountId) {
      return (await ofAccount.all(db, { accountId })).map(deviceOf)
    },
    async count(accountId) {
      return (await countOfAccount.first(db, { accountId }))?.count ?? 0
    },
    async countLive(accountId) {
      return (await liveCount.first(db, { accountId }))?.live ?? 0
    },
    async revokedBefore(accountId, kept) {
      return (await revokedBefore.all(db, { accountId, kept })).map((row) => row.device_id)
    },
    async signersOf(accountId, { after, max }) {
      const { first, next } = db.kind === postgresKind ? signersIn.postgres : signersIn.sqlite
      const asked = { accountId, max }
      const rows = await (after === undefined ? first.all(db, asked) : next.all(db, { ...asked, ...after }))
      const last = rows.length === max ? rows.at(-1) : undefined
      return {
        signers: rows.map((row) => row.device_id),
        next: last && { ciphertextHash: last.ciphertext_hash, blobSeq: last.blob_seq },
      }
    },
  }
}

export function deviceWrites(db: Db): DeviceWrites {
  return {
    async insert(device) {
      return (await insertion.changed(db, device)) === 1
    },
    async remove(accountId, deviceIds) {
      for (const deviceId of deviceIds) await removal.changed(db, { accountId, deviceId })
    },
    async setName(deviceId, sealedName) {
      await naming.changed(db, { deviceId, sealedName })
    },
    async revoke(deviceId, accountId, at) {
      return (await firstRevocation.changed(db, { deviceId, accountId, at })) === 1
    },
  }
}

function deviceOf(row: Selectable<DeviceTable>): Device {
  return {
    deviceId: row.device_id,
    accountId: row.account_id,
    publicKey: row.public_key,
    mac: row.mac ?? undefined,
    createdAt: row.created_at,
    sealedName: row.sealed_name ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  }
}
