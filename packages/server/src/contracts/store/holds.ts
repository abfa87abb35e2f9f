import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { at, atOnce, countTrue, hash, type InStore } from './world.ts'

const hold = (number: number, seconds: number) => ({
  ciphertextHash: hash(number),
  reason: `order ${number}`,
  createdAt: at(seconds),
})

export function describeHolds(inStore: InStore): void {
  describe('holds', () => {
    it(
      'are found by content and listed oldest first, until they are removed',
      inStore(async (store) => {
        await store.write([], async (tx) => {
          await tx.holds.add(hold(1, 20))
          await tx.holds.add(hold(2, 10))
        })
        assert.deepEqual(await store.read((tx) => tx.holds.list()), [hold(2, 10), hold(1, 20)])
        assert.deepEqual(await store.read((tx) => tx.holds.find(hash(1))), hold(1, 20))
        assert.equal(await store.write([], (tx) => tx.holds.remove(hash(1))), true)
        assert.equal(await store.write([], (tx) => tx.holds.remove(hash(1))), false)
        assert.equal(await store.read((tx) => tx.holds.find(hash(1))), undefined)
      }),
    )

    it(
      'exist once per content: the first stays, also with simultaneous requests',
      inStore(async (store) => {
        const added = await atOnce(store, 16, (tx, index) => tx.holds.add(hold(1, index)))
        assert.equal(countTrue(added), 1)
        assert.deepEqual(await store.read((tx) => tx.holds.list()), [hold(1, added.indexOf(true))])
      }),
    )
  })
}

export function describePauses(inStore: InStore): void {
  describe('pauses of the collector', () => {
    it(
      'last until the end of the one that ends last, and are removed by their backup, or after their end by the next one',
      inStore(async (store) => {
        const lastEnd = () => store.read((tx) => tx.pauses.lastEnd())
        const set = (id: string, seconds: number, until: number) =>
          store.write([], (tx) => tx.pauses.set(id, { at: at(seconds), until: at(until) }))
        assert.equal(await lastEnd(), undefined)
        await set('one', 0, 50)
        await set('another', 0, 30)
        assert.equal(await lastEnd(), at(50))
        await store.write([], (tx) => tx.pauses.end('one'))
        assert.equal(await lastEnd(), at(30))
        await set('another', 10, 40)
        assert.equal(await lastEnd(), at(40))
        await set('third', 40, 41)
        await store.write([], (tx) => tx.pauses.end('third'))
        assert.equal(await lastEnd(), undefined)
      }),
    )
  })
}
