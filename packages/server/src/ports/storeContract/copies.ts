import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Store } from '../store.ts'
import { at, atOnce, copy, countTrue, type InStore } from './world.ts'

const find = (store: Store, number: number) => store.read((tx) => tx.copies.find(copy(number).location))

export function describeCopies(inStore: InStore): void {
  describe('copies', () => {
    it(
      'gives back a copy as it was inserted, until it is forgotten',
      inStore(async (store) => {
        await store.write((tx) => tx.copies.insert(copy(1)))
        assert.deepEqual(await find(store, 1), copy(1))
        await store.write((tx) => tx.copies.remove(copy(1).location))
        assert.equal(await find(store, 1), undefined)
      }),
    )

    it(
      'never takes a location twice',
      inStore(async (store) => {
        await store.write((tx) => tx.copies.insert(copy(1)))
        await assert.rejects(store.write((tx) => tx.copies.insert(copy(1, { size: 5 }))))
        assert.deepEqual(await find(store, 1), copy(1))
      }),
    )

    it(
      'moves a copy from the state it is in, and from no other',
      inStore(async (store) => {
        await store.write((tx) => tx.copies.insert(copy(1)))
        const { location } = copy(1)
        const keep = () => store.write((tx) => tx.copies.move(location, { from: 'staged', to: 'kept', at: at(5) }))
        assert.equal(await keep(), true)
        assert.deepEqual(await find(store, 1), copy(1, { state: 'kept', since: at(5) }))
        assert.equal(await keep(), false)
        const races = await atOnce(store, 64, (tx, index) =>
          tx.copies.move(location, { from: 'kept', to: index % 2 === 0 ? 'unowned' : 'doomed', at: at(index) }),
        )
        assert.equal(countTrue(races), 1)
        assert.equal((await find(store, 1))?.since, at(races.indexOf(true)))
      }),
    )

    it(
      'lists those in a state since before an instant, oldest first, no more than asked for',
      inStore(async (store) => {
        await store.write(async (tx) => {
          await tx.copies.insert(copy(1, { state: 'doomed', since: at(30) }))
          await tx.copies.insert(copy(2, { state: 'doomed', since: at(10) }))
          await tx.copies.insert(copy(3, { state: 'doomed', since: at(20) }))
          await tx.copies.insert(copy(4, { state: 'doomed', since: at(40) }))
          await tx.copies.insert(copy(5, { state: 'unowned', since: at(5) }))
        })
        const listed = async (most: number) =>
          (await store.read((tx) => tx.copies.listIn('doomed', at(40), most))).map((each) => each.location)
        assert.deepEqual(await listed(10), [copy(2).location, copy(3).location, copy(1).location])
        assert.deepEqual(await listed(2), [copy(2).location, copy(3).location])
      }),
    )
  })
}
