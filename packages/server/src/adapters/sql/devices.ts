import type { AccountId, DeviceId, Instant } from '@blindkeep/protocol/ids'
import type { Selectable } from 'kysely'
import type { Device, DeviceReads, DeviceWrites, NewDevice } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { DeviceTable } from './schema.ts'

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
    async countLive(accountId) {
      return (await liveCount.first(db, { accountId }))?.live ?? 0
    },
  }
}

export function deviceWrites(db: Db): DeviceWrites {
  return {
    async insert(device) {
      return (await insertion.changed(db, device)) === 1
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
