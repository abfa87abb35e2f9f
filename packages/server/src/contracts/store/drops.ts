import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListOrder } from '@blindkeep/protocol/schemas/lists'
import type { Drop, Place, Store } from '../../ports/store.ts'
import {
  accountId,
  at,
  atOnce,
  drop,
  dropId,
  hash,
  type InStore,
  object,
  opaqueId,
  pendingDrops,
  seed,
} from './world.ts'

export function describeDrops(inStore: InStore): void {
  describe('drops', () => {
    describeInbox(inStore)
    describeRemoval(inStore)
  })
}

const ids = (drops: readonly Drop[]) => drops.map((each) => each.dropId)
const pending = async (store: Store, number: number) =>
  ids(await store.read((tx) => pendingDrops(tx, accountId(number))))

function describeInbox(inStore: InStore): void {
  it(
    "lists an account's own drops in the order in which they were received, then in the order of landing",
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.drops.insert(
          drop(9, { receivedAt: at(2) }),
          drop(5, { receivedAt: at(2) }),
          drop(7, { receivedAt: at(1) }),
          drop(8, { accountId: accountId(2), opaqueId: opaqueId(2) }),
        )
        await tx.drops.insert(drop(6, { receivedAt: at(2) }))
      })
      assert.deepEqual(await pending(store, 1), [dropId(7), dropId(9), dropId(5), dropId(6)])
      assert.deepEqual(await pending(store, 2), [dropId(8)])
      assert.equal(await store.read((tx) => tx.drops.countPending(accountId(1))), 4)
      assert.equal((await store.read((tx) => tx.uploads.countLanding(accountId(1)))).pendingDrops, 4)
      assert.equal(await store.read((tx) => tx.drops.countPending(accountId(3))), 0)
    }),
  )

  it(
    'says of the drops of a time which are damaged, suspected or on hold, and nothing of the others',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        for (const number of [2, 3, 4, 5, 6]) {
          await tx.objects.insert(object(number, { state: 'kept' }))
          await tx.drops.insert(drop(number, { receivedAt: at(number) }))
        }
        for (const number of [3, 6]) await tx.objects.suspect(object(number).location, at(7))
        for (const number of [3, 4]) await tx.holds.add({ ciphertextHash: hash(number), reason: 'x', createdAt: at(7) })
      })
      const between = async (from: number, to: number, account = 1) => {
        const times = { from: at(from), to: at(to) }
        const found = await store.ask((tx) => tx.drops.withheldBetween(accountId(account), times))
        return [...found].map(([id, { isSuspected, isOnHold }]) => [id, isSuspected, isOnHold]).toSorted()
      }
      assert.deepEqual(await between(2, 5), [
        [dropId(3), true, true],
        [dropId(4), false, true],
      ])
      assert.deepEqual(await between(6, 6), [[dropId(6), true, false]])
      assert.deepEqual(await between(5, 5), [])
      assert.deepEqual(await between(1, 9, 2), [])
    }),
  )

  it(
    'gives the same drops in pages, whose places stay without their drops',
    inStore(async (store) => {
      await seed(store)
      const page = (after: Place | undefined, max: number, order?: ListOrder) =>
        store.ask((tx) => tx.drops.page(accountId(1), { after, max, order }))
      assert.deepEqual(await page(undefined, 2), { rows: [], next: undefined })
      await store.write([], async (tx) => {
        for (const [number, seconds] of [
          [9, 2],
          [5, 2],
          [7, 1],
          [6, 2],
        ] as const)
          await tx.drops.insert(drop(number, { receivedAt: at(seconds) }))
        await tx.drops.insert(drop(8, { accountId: accountId(2), opaqueId: opaqueId(2) }))
      })
      const first = await page(undefined, 2)
      assert.deepEqual(ids(first.rows), [dropId(7), dropId(9)])
      assert.deepEqual(await store.ask((tx) => tx.drops.placeOf(accountId(1), dropId(9))), first.next)
      assert.equal(await store.ask((tx) => tx.drops.placeOf(accountId(2), dropId(9))), undefined)
      assert.deepEqual(first.rows, [
        await store.ask((tx) => tx.drops.find(dropId(7))),
        await store.ask((tx) => tx.drops.find(dropId(9))),
      ])
      await store.write([], (tx) => tx.drops.remove(dropId(9), accountId(1), at(3)))
      const second = await page(first.next, 1)
      assert.deepEqual(ids(second.rows), [dropId(5)])
      const third = await page(second.next, 1)
      assert.deepEqual(ids(third.rows), [dropId(6)])
      assert.equal(third.next, undefined)
      assert.deepEqual(ids((await page(undefined, 3)).rows), [dropId(7), dropId(5), dropId(6)])
      const newest = await page(undefined, 2, 'newest')
      assert.deepEqual(ids(newest.rows), [dropId(6), dropId(5)])
      assert.deepEqual(await page(newest.next, 2, 'newest'), { rows: first.rows.slice(0, 1), next: undefined })
    }),
  )

  it(
    'keeps the order of landing if later drops were removed in between',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        for (const number of [3, 2]) await tx.drops.insert(drop(number))
        await tx.drops.remove(dropId(2), accountId(1), at(1))
        await tx.drops.insert(drop(1))
      })
      assert.deepEqual(await pending(store, 1), [dropId(3), dropId(1)])
    }),
  )
}

function describeRemoval(inStore: InStore): void {
  it(
    "removes the account's own drop once, and answers it",
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.drops.insert(drop(1)))
      const remove = (number: number) => store.write([], (tx) => tx.drops.remove(dropId(1), accountId(number), at(1)))
      assert.equal(await remove(2), undefined)
      assert.deepEqual(await remove(1), drop(1))
      assert.equal(await remove(1), undefined)
      assert.deepEqual(await pending(store, 1), [])
      assert.equal(await store.read((tx) => tx.drops.countPending(accountId(1))), 0)
    }),
  )

  it(
    'removes a drop for one of 64 simultaneous calls',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.drops.insert(drop(1)))
      const removed = await atOnce(store, 64, (tx) => tx.drops.remove(dropId(1), accountId(1), at(1)))
      assert.equal(removed.filter((each) => each !== undefined).length, 1)
    }),
  )

  it(
    "removes the account's oldest drops, some at a time, except those with a live lease",
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.drops.insert(drop(1, { receivedAt: at(9) }))
        await tx.drops.insert(drop(2, { receivedAt: at(3) }))
        await tx.drops.insert(drop(3, { receivedAt: at(1), leasedUntil: at(100) }))
        await tx.drops.insert(drop(4, { receivedAt: at(3), leasedUntil: at(10) }))
        await tx.drops.insert(drop(5, { opaqueId: opaqueId(2), accountId: accountId(2) }))
      })
      const removeSome = async (max: number) =>
        ids(await store.write([], (tx) => tx.drops.removeSome(accountId(1), at(50), max))).toSorted()
      assert.deepEqual(await removeSome(2), [dropId(2), dropId(4)])
      assert.deepEqual(await removeSome(2), [dropId(1)])
      assert.deepEqual(await removeSome(2), [])
      assert.deepEqual([await pending(store, 1), await pending(store, 2)], [[dropId(3)], [dropId(5)]])
      assert.equal(await store.read((tx) => tx.drops.countPending(accountId(1))), 1)
    }),
  )

  it(
    "removes all drops of one of the account's links, except those with a live lease",
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.drops.insert(drop(1))
        await tx.drops.insert(drop(2, { leasedUntil: at(100) }))
        await tx.drops.insert(drop(3, { leasedUntil: at(10) }))
        await tx.drops.insert(drop(4, { opaqueId: opaqueId(2), accountId: accountId(2) }))
      })
      const removeOf = (link: number, account: number, max = 5) =>
        store.write([], (tx) => tx.drops.removeOfLink(opaqueId(link), accountId(account), at(50), max))
      assert.deepEqual(await removeOf(2, 1), [])
      const removed = await removeOf(1, 1)
      assert.deepEqual(ids(removed).toSorted(), [dropId(1), dropId(3)])
      assert.deepEqual(
        removed.find((each) => each.dropId === dropId(1)),
        drop(1),
      )
      assert.deepEqual(await pending(store, 1), [dropId(2)])
      assert.deepEqual(await pending(store, 2), [dropId(4)])
      const counts = await store.read((tx) =>
        Promise.all([1, 2].map((account) => tx.drops.countPending(accountId(account)))),
      )
      assert.deepEqual(counts, [1, 1])
    }),
  )
}
