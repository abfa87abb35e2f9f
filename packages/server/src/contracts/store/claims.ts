import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Claim, Store } from '../../ports/store.ts'
import {
  accountId,
  at,
  atOnce,
  claim,
  countTrue,
  drop,
  dropId,
  hash,
  type InStore,
  pendingDrops,
  seed,
} from './world.ts'

/** What an adoption does to its drop. */
export function describeClaims(inStore: InStore): void {
  describe('claims on drops', () => {
    describeClaiming(inStore)
    describeSettling(inStore)
  })
}

/** Drops 1 and 2 of account 1. */
async function seedDrops(store: Store): Promise<void> {
  await seed(store)
  await store.write([], async (tx) => {
    await tx.drops.insert(drop(1))
    await tx.drops.insert(drop(2))
  })
}

const take = (store: Store, number: number, given: Partial<Claim> = {}) =>
  store.write([], (tx) => tx.drops.claim(claim(number, given)))
const settle = (store: Store, number: number, of = dropId(1)) =>
  store.write([], (tx) => tx.drops.settle(of, claim(number).claimId))
const unclaim = (store: Store, number: number) =>
  store.write([], (tx) => tx.drops.unclaim(dropId(1), claim(number).claimId))
const discard = (store: Store, seconds: number) =>
  store.write([], (tx) => tx.drops.remove(dropId(1), accountId(1), at(seconds)))
const find = (store: Store, number = 1) => store.read((tx) => tx.drops.find(dropId(number)))
const pending = (store: Store) =>
  store.read(async (tx) => [(await pendingDrops(tx, accountId(1))).length, await tx.drops.countPending(accountId(1))])

function describeClaiming(inStore: InStore): void {
  it(
    'show their lease, and prevent a discard while the lease is live',
    inStore(async (store) => {
      await seedDrops(store)
      assert.equal(await take(store, 1), true)
      assert.deepEqual(await find(store), drop(1, { leasedUntil: at(60) }))
      assert.deepEqual(await find(store, 2), drop(2))
      assert.equal(await discard(store, 59), undefined)
      assert.equal((await discard(store, 60))?.dropId, dropId(1))
      assert.equal(await settle(store, 1), false)
    }),
  )

  it(
    'succeed for one of 64 simultaneous requests, and for no other while the lease is live',
    inStore(async (store) => {
      await seedDrops(store)
      const claimed = await atOnce(store, 64, (tx, index) =>
        tx.drops.claim(claim(index, { leasedUntil: at(60 + index) })),
      )
      assert.equal(countTrue(claimed), 1)
      const winner = claimed.indexOf(true)
      assert.equal((await find(store))?.leasedUntil, at(60 + winner))
      const other = (winner + 1) % 64
      assert.equal(await take(store, other, { at: at(59 + winner), leasedUntil: at(900) }), false)
      assert.equal((await find(store))?.leasedUntil, at(60 + winner))
      assert.equal(await settle(store, other), false)
      assert.equal(await settle(store, winner), true)
    }),
  )

  it(
    'pass to an equal request of the same process while the lease is live, and the first claim loses its effect',
    inStore(async (store) => {
      await seedDrops(store)
      const requestHash = hash(500)
      assert.equal(await take(store, 1, { requestHash }), true)
      const isClaimedAt = (seconds: number, hashed = requestHash) =>
        store.read((tx) => tx.drops.isClaimedFor(dropId(1), hashed, at(seconds)))
      assert.deepEqual(
        [await isClaimedAt(59), await isClaimedAt(60), await isClaimedAt(0, hash(9))],
        [true, false, false],
      )
      assert.equal(await take(store, 3, { requestHash, by: 'another process', at: at(30) }), false)
      assert.equal(await take(store, 2, { requestHash, at: at(30), leasedUntil: at(90) }), true)
      assert.equal((await find(store))?.leasedUntil, at(90))
      await unclaim(store, 1)
      assert.equal(await settle(store, 1), false)
      assert.equal((await find(store))?.leasedUntil, at(90))
      assert.equal(await settle(store, 2), true)
    }),
  )
}

function describeSettling(inStore: InStore): void {
  it(
    'remove the drop when they are settled, once, and reduce the count',
    inStore(async (store) => {
      await seedDrops(store)
      await take(store, 1)
      await take(store, 2, { dropId: dropId(2) })
      assert.equal(await settle(store, 1, dropId(2)), false)
      assert.deepEqual(await pending(store), [2, 2])
      assert.equal(await settle(store, 1), true)
      assert.equal(await settle(store, 1), false)
      assert.equal(await find(store), undefined)
      assert.deepEqual(await pending(store), [1, 1])
    }),
  )

  it(
    'are settled by one of 64 simultaneous calls, and leave nothing to discard',
    inStore(async (store) => {
      await seedDrops(store)
      await take(store, 1)
      const settled = await atOnce(store, 64, (tx) => tx.drops.settle(dropId(1), claim(1).claimId))
      assert.equal(countTrue(settled), 1)
      assert.equal(await discard(store, 900), undefined)
      assert.deepEqual(await pending(store), [1, 1])
    }),
  )

  it(
    'restore the drop if the transaction is undone',
    inStore(async (store) => {
      await seedDrops(store)
      await take(store, 1)
      await store.write([], async (tx) => {
        assert.equal(await tx.drops.settle(dropId(1), claim(1).claimId), true)
        return { refused: 'after all' }
      })
      assert.deepEqual(await pending(store), [2, 2])
      assert.equal(await settle(store, 1), true)
    }),
  )
}
