import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Store } from '../../ports/store.ts'
import { at, atOnce, countTrue, type InStore, object } from './world.ts'

const find = (store: Store, number: number) => store.read((tx) => tx.objects.find(object(number).location))

export function describeObjects(inStore: InStore): void {
  describe('objects', () => {
    it(
      'refuses a second object at a location',
      inStore(async (store) => {
        await store.write([], (tx) => tx.objects.insert(object(1)))
        await assert.rejects(store.write([], (tx) => tx.objects.insert(object(1, { size: 5 }))))
        assert.deepEqual(await find(store, 1), object(1))
      }),
    )

    it(
      'moves an object only from its present state',
      inStore(async (store) => {
        await store.write([], (tx) => tx.objects.insert(object(1)))
        const { location } = object(1)
        const keep = () => store.write([], (tx) => tx.objects.keep([location], at(5)))
        assert.equal(await keep(), true)
        assert.deepEqual(await find(store, 1), object(1, { state: 'kept', since: at(5) }))
        assert.equal(await keep(), false)
        const races = await atOnce(store, 64, (tx, index) =>
          tx.objects.move(location, { from: 'kept', to: index % 2 === 0 ? 'orphaned' : 'deleting', at: at(index) }),
        )
        assert.equal(countTrue(races), 1)
        assert.equal((await find(store, 1))?.since, at(races.indexOf(true)))
      }),
    )

    it(
      'keeps several staged objects at once, and says if one was not staged',
      inStore(async (store) => {
        const numbers = Array.from({ length: 64 }, (_, index) => index + 1)
        const locations = numbers.map((number) => object(number).location)
        await store.write(
          [],
          async (tx) => void (await Promise.all(numbers.map((number) => tx.objects.insert(object(number))))),
        )
        const keep = (some: readonly string[]) => store.write([], (tx) => tx.objects.keep(some, at(5)))
        assert.equal(await keep(locations.slice(0, 3)), true)
        assert.deepEqual(await find(store, 3), object(3, { state: 'kept', since: at(5) }))
        assert.deepEqual(await find(store, 4), object(4))
        assert.equal(await keep(locations.slice(2, 9)), false)
        assert.equal(await keep(locations.slice(9)), true)
      }),
    )

    it(
      'lists objects in a state since before an instant, oldest first, at most as many as requested',
      inStore(async (store) => {
        await store.write([], async (tx) => {
          await tx.objects.insert(object(1, { state: 'deleting', since: at(30) }))
          await tx.objects.insert(object(2, { state: 'deleting', since: at(10) }))
          await tx.objects.insert(object(3, { state: 'deleting', since: at(20) }))
          await tx.objects.insert(object(4, { state: 'deleting', since: at(40) }))
          await tx.objects.insert(object(5, { state: 'orphaned', since: at(5) }))
        })
        const listed = async (max: number) =>
          (await store.read((tx) => tx.objects.listIn('deleting', at(40), max))).map((each) => each.location)
        assert.deepEqual(await listed(10), [object(2).location, object(3).location, object(1).location])
        assert.deepEqual(await listed(2), [object(2).location, object(3).location])
      }),
    )
  })
}
