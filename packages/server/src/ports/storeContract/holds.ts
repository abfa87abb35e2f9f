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
