import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Device, NewDevice, Store } from '../../ports/store.ts'
import { accountId, at, atOnce, bytes, countTrue, device, deviceId, type InStore, seed } from './world.ts'

export function describeDevices(inStore: InStore): void {
  describe('devices', () => {
    describeRows(inStore)
    describeRevoking(inStore)
  })
}

const find = (store: Store, number: number) => store.read((tx) => tx.devices.find(deviceId(number)))
const fresh = (inserted: NewDevice): Device => ({ ...inserted, sealedName: undefined, revokedAt: undefined })

function describeRows(inStore: InStore): void {
  it(
    'returns a device as it was inserted, not revoked',
    inStore(async (store) => {
      await seed(store)
      const [bare, full] = [device(1), device(2, { mac: bytes(32) })]
      await store.write([], async (tx) => {
        await tx.devices.insert(bare)
        await tx.devices.insert(full)
      })
      assert.deepEqual(await find(store, 1), fresh(bare))
      assert.deepEqual(await find(store, 2), fresh(full))
      assert.equal(await find(store, 9), undefined)
      await store.write([], (tx) => tx.devices.setName(deviceId(2), bytes(50)))
      assert.deepEqual(await find(store, 2), { ...fresh(full), sealedName: bytes(50) })
      assert.deepEqual(await find(store, 1), fresh(bare))
      await store.write([], (tx) => tx.devices.setName(deviceId(2), undefined))
      assert.deepEqual(await find(store, 2), fresh(full))
    }),
  )

  it(
    'never overwrites a device for any account, and inserts one of several simultaneous ones',
    inStore(async (store) => {
      await seed(store)
      const inserted = await atOnce(store, 16, (tx, index) =>
        tx.devices.insert(device(1, { publicKey: bytes(1984, index) })),
      )
      assert.equal(countTrue(inserted), 1)
      const first = fresh(device(1, { publicKey: bytes(1984, inserted.indexOf(true)) }))
      const again = device(1, { accountId: accountId(2), mac: bytes(32) })
      assert.equal(await store.write([], (tx) => tx.devices.insert(again)), false)
      assert.deepEqual(await find(store, 1), first)
    }),
  )

  it(
    "lists an account's own devices, revoked ones too, oldest first",
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.devices.insert(device(5, { createdAt: at(30) }))
        await tx.devices.insert(device(4, { createdAt: at(30) }))
        await tx.devices.insert(device(3, { createdAt: at(20) }))
        await tx.devices.insert(device(6, { accountId: accountId(2) }))
        await tx.devices.revoke(deviceId(3), accountId(1), at(40))
      })
      const { rows: listed } = await store.read((tx) => tx.devices.page(accountId(1), { max: 10 }))
      assert.deepEqual(
        listed.map((each) => each.deviceId),
        [deviceId(3), deviceId(5), deviceId(4)],
      )
      assert.deepEqual(listed[0], { ...fresh(device(3, { createdAt: at(20) })), revokedAt: at(40) })
      assert.deepEqual(await store.read((tx) => tx.devices.page(accountId(9), { max: 10 })), {
        rows: [],
        next: undefined,
      })
    }),
  )
}

function describeRevoking(inStore: InStore): void {
  it(
    'removes revoked devices of its account only, and names those that were not revoked last',
    inStore(async (store) => {
      await seed(store)
      const numbers = [1, 2, 3, 4]
      await store.write([], async (tx) => {
        for (const number of numbers) await tx.devices.insert(device(number))
        await tx.devices.insert(device(5, { accountId: accountId(2) }))
        for (const number of [3, 1, 2]) await tx.devices.revoke(deviceId(number), accountId(1), at(10 * number))
        await tx.devices.revoke(deviceId(5), accountId(2), at(1))
      })
      const before = (kept: number) => store.read((tx) => tx.devices.revokedBefore(accountId(1), kept))
      assert.deepEqual(await before(1), [deviceId(2), deviceId(1)])
      assert.deepEqual(await before(3), [])
      await store.write([], (tx) => tx.devices.remove(accountId(1), [1, 4, 5].map(deviceId)))
      const left = await Promise.all([1, 4, 5].map((number) => find(store, number)))
      assert.deepEqual(
        left.map((each) => each?.deviceId),
        [undefined, deviceId(4), deviceId(5)],
      )
    }),
  )

  it(
    "revokes a device once, and only the account's own",
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.devices.insert(device(1))
        await tx.devices.insert(device(2, { accountId: accountId(2) }))
      })
      const revoke = (number: number, seconds: number) =>
        store.write([], (tx) => tx.devices.revoke(deviceId(number), accountId(1), at(seconds)))
      assert.equal(await revoke(2, 10), false)
      assert.equal((await find(store, 2))?.revokedAt, undefined)
      assert.equal(await revoke(1, 10), true)
      assert.equal(await revoke(1, 20), false)
      assert.equal((await find(store, 1))?.revokedAt, at(10))
      assert.equal(await revoke(9, 10), false)
    }),
  )

  it(
    "counts the account's devices that are not revoked",
    inStore(async (store) => {
      await seed(store)
      const live = (number: number) => store.read((tx) => tx.devices.countLive(accountId(number)))
      assert.equal(await live(1), 0)
      await store.write([], async (tx) => {
        for (const number of [1, 2, 3]) await tx.devices.insert(device(number))
        await tx.devices.insert(device(4, { accountId: accountId(2) }))
        await tx.devices.revoke(deviceId(2), accountId(1), at(1))
      })
      assert.deepEqual([await live(1), await live(2)], [2, 1])
    }),
  )
}
