import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { at, hash, type InStore, object, seedWithAlbums } from './world.ts'

export function describeCensus(inStore: InStore): void {
  describe('the census', () => {
    it(
      'counts what needs attention, each by its state',
      inStore(async (store) => {
        await seedWithAlbums(store)
        const before = await store.read((tx) => tx.census.take())
        const states = ['orphaned', 'marked', 'deleting', 'kept', 'kept', 'kept', 'kept'] as const
        await store.write([], async (tx) => {
          for (const [index, state] of states.entries()) await tx.objects.insert(object(900 + index, { state }))
          await tx.objects.markDamaged(object(903).location, at(1))
          await tx.objects.markDamaged(object(904).location, at(1))
          for (const number of [905, 906]) await tx.objects.suspect(object(number).location, at(1))
          await tx.objects.noteUnread(object(906).location, at(2))
          await tx.holds.add({ ciphertextHash: hash(900), reason: 'an order', createdAt: at(1) })
        })
        const { uploads, objects, holds } = await store.read((tx) => tx.census.take())
        assert.deepEqual(uploads, before.uploads)
        assert.deepEqual(objects, {
          damaged: before.objects.damaged + 2,
          unreadable: before.objects.unreadable + 1,
          suspected: before.objects.suspected + 1,
          orphaned: before.objects.orphaned + 1,
          marked: before.objects.marked + 1,
          deleting: before.objects.deleting + 1,
        })
        assert.equal(holds, before.holds + 1)
      }),
    )
  })
}
