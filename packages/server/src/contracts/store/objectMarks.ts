/** What the collector and the scrubber write, and the status that decides what the server hands out. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ObjectState, Store, WriteTx } from '../../ports/store.ts'
import {
  accountId,
  asset,
  assetBlob,
  assetId,
  assetUpload,
  at,
  atOnce,
  countTrue,
  drop,
  hash,
  type InStore,
  object,
  seedWithAlbums,
  upload,
  uploadId,
} from './world.ts'

const MARKED_AT = 100

const deleting = (number: number) => ({
  location: object(number).location,
  uploadId: uploadId(number),
  ciphertextHash: hash(number),
  before: at(MARKED_AT + 1),
  at: at(200),
})
const startDeleting = (store: Store, number: number) =>
  store.write([], (tx) => tx.objects.startDeleting(deleting(number)))
const stateOf = async (store: Store, number: number) =>
  (await store.read((tx) => tx.objects.find(object(number).location)))?.state

async function insert(store: Store, number: number, state: ObjectState): Promise<void> {
  await store.write([], (tx) => tx.objects.insert(object(number, { state, since: at(MARKED_AT) })))
}

/** An object that is kept since the given second. */
async function keep(store: Store, number: number, seconds: number): Promise<void> {
  await store.write([], async (tx) => {
    await tx.objects.insert(object(number))
    await tx.objects.keep([object(number).location], at(seconds))
  })
}

export function describeObjectMarks(inStore: InStore): void {
  describe('the start of a deletion', () => {
    it(
      'moves an object that was marked before, once',
      inStore(async (store) => {
        await insert(store, 1, 'marked')
        assert.equal(
          await store.write([], (tx) => tx.objects.startDeleting({ ...deleting(1), before: at(MARKED_AT) })),
          false,
        )
        assert.equal(countTrue(await atOnce(store, 16, (tx) => tx.objects.startDeleting(deleting(1)))), 1)
        assert.deepEqual(
          await store.read((tx) => tx.objects.find(object(1).location)),
          object(1, { state: 'deleting', since: at(200) }),
        )
      }),
    )

    for (const state of ['staged', 'kept', 'orphaned'] as const satisfies readonly ObjectState[])
      it(
        `leaves an object that is ${state}`,
        inStore(async (store) => {
          await insert(store, 1, state)
          assert.equal(await startDeleting(store, 1), false)
          assert.equal(await stateOf(store, 1), state)
        }),
      )

    const named: Record<string, (tx: WriteTx) => Promise<unknown>> = {
      'a blob of an asset names': async (tx) => {
        await tx.assets.reserve(asset(1))
        await tx.assets.addBlob(assetBlob(1))
      },
      'a pending drop names': (tx) => tx.drops.insert(drop(1)),
      'a guest’s open session names': (tx) => tx.uploads.insert(upload(1)),
      'an owner’s finishing session names': async (tx) => {
        await tx.uploads.insert(assetUpload(1))
        await tx.uploads.move(uploadId(1), { from: 'open', to: 'finishing', at: at(1) })
      },
      'is of a content on hold': (tx) =>
        tx.holds.add({ ciphertextHash: hash(1), reason: 'asked for', createdAt: at(1) }),
    }
    for (const [why, write] of Object.entries(named))
      it(
        `leaves an object that ${why}`,
        inStore(async (store) => {
          await seedWithAlbums(store)
          await insert(store, 1, 'marked')
          await insert(store, 2, 'marked')
          await store.write([], write)
          assert.equal(await startDeleting(store, 1), false)
          assert.equal(await stateOf(store, 1), 'marked')
          assert.equal(await startDeleting(store, 2), true)
        }),
      )
  })

  describe('the status of an object’s bytes', () => {
    it(
      'is suspected until a reading that began later, or until its damage is sure',
      inStore(async (store) => {
        for (const number of [1, 2]) await keep(store, number, 10)
        const { location } = object(1)
        const suspected = () => store.read((tx) => tx.objects.listSuspected({ at: at(60), mostSeconds: 0, max: 5 }))
        const isSuspected = async () => (await store.read((tx) => tx.objects.statusOf(location, hash(1))))?.isSuspected
        await store.write([], (tx) => tx.objects.suspect(location, at(20)))
        await store.write([], (tx) => tx.objects.suspect(location, at(25)))
        assert.deepEqual([await isSuspected(), (await suspected()).map((each) => each.location)], [true, [location]])
        await store.write([], (tx) => tx.objects.noteIntact(location, { readAt: at(19), at: at(30) }))
        assert.equal(await isSuspected(), true)
        // It was not read since it is suspected: it is due at once, and not known as unreadable.
        assert.equal((await store.read((tx) => tx.audit.object(location)))?.checkedAt, at(10))
        await store.write([], (tx) => tx.objects.noteIntact(location, { readAt: at(20), at: at(30) }))
        assert.deepEqual([await isSuspected(), await suspected()], [false, []])
        await store.write([], (tx) => tx.objects.suspect(location, at(40)))
        await store.write([], (tx) => tx.objects.markDamaged(location, at(41)))
        await store.write([], (tx) => tx.objects.suspect(location, at(42)))
        assert.deepEqual([await isSuspected(), await suspected()], [false, []])
        await store.write([], (tx) => tx.objects.noteIntact(location, { readAt: at(40), at: at(50) }))
        assert.equal((await store.read((tx) => tx.audit.object(location)))?.damagedAt, at(41))
      }),
    )

    it(
      'is damaged until a reading that began after the last finding',
      inStore(async (store) => {
        await keep(store, 1, 10)
        const { location } = object(1)
        const damagedAt = async () => (await store.read((tx) => tx.audit.object(location)))?.damagedAt
        for (const seconds of [20, 30]) await store.write([], (tx) => tx.objects.markDamaged(location, at(seconds)))
        await store.write([], (tx) => tx.objects.noteIntact(location, { readAt: at(29), at: at(40) }))
        assert.equal(await damagedAt(), at(20))
        await store.write([], (tx) => tx.objects.noteIntact(location, { readAt: at(41), at: at(50) }))
        assert.equal(await damagedAt(), undefined)
        // By a clock that was ahead.
        await store.write([], (tx) => tx.objects.markDamaged(location, at(90)))
        for (const seconds of [60, 70])
          await store.write([], (tx) => tx.objects.noteIntact(location, { readAt: at(seconds), at: at(seconds + 1) }))
        assert.equal(await damagedAt(), undefined)
      }),
    )

    it(
      'is damaged, and due to be read again after a while, then after twice the time since the first finding',
      inStore(async (store) => {
        for (const number of [1, 2, 3]) await keep(store, number, 10)
        const due = async (seconds: number, max = 9) => {
          const question = { at: at(seconds), leastSeconds: 5, max }
          return (await store.read((tx) => tx.objects.listDamaged(question))).map(({ location }) => location)
        }
        const [first, second] = [object(1).location, object(2).location]
        for (const [location, seconds] of [
          [second, 21],
          [first, 20],
          [first, 30],
        ] as const)
          await store.write([], (tx) => tx.objects.markDamaged(location, at(seconds)))
        assert.deepEqual([await due(25), await due(26)], [[], [second]])
        assert.deepEqual([await due(39), await due(40), await due(40, 1)], [[second], [second, first], [second]])
        await store.write([], (tx) => tx.objects.noteIntact(second, { readAt: at(50), at: at(50) }))
        assert.deepEqual(await due(90), [first])
        await store.write([], (tx) => tx.objects.move(first, { from: 'kept', to: 'orphaned', at: at(50) }))
        assert.deepEqual(await due(90), [])
      }),
    )

    it(
      'is suspected, and due to be read again at once, then at doubling intervals up to a bound; new ones come first',
      inStore(async (store) => {
        for (const number of [1, 2, 3, 4]) await keep(store, number, 10)
        const [first, second, third] = [object(1).location, object(2).location, object(3).location]
        const due = async (seconds: number, max = 9) => {
          const question = { at: at(seconds), mostSeconds: 60, max }
          return (await store.read((tx) => tx.objects.listSuspected(question))).map(({ location }) => location)
        }
        const write = (work: (tx: WriteTx) => Promise<unknown>) => store.write([], work)
        await write((tx) => tx.objects.suspect(first, at(20)))
        await write((tx) => tx.objects.noteUnread(first, at(20)))
        assert.deepEqual(await due(20), [first])
        await write((tx) => tx.objects.noteUnread(first, at(25)))
        assert.deepEqual([await due(29), await due(30)], [[], [first]])
        await write((tx) => tx.objects.suspect(second, at(26)))
        await write((tx) => tx.objects.noteUnread(second, at(27)))
        await write((tx) => tx.objects.suspect(third, at(28)))
        assert.deepEqual([await due(30), await due(30, 1)], [[third, second, first], [third]])
        await write((tx) => tx.objects.noteUnread(first, at(200)))
        assert.deepEqual([(await due(259)).includes(first), (await due(260)).includes(first)], [false, true])
        // Of an object that is in no doubt, nothing is noted.
        await write((tx) => tx.objects.noteUnread(object(4).location, at(300)))
        assert.equal((await store.read((tx) => tx.audit.object(object(4).location)))?.checkedAt, at(10))
      }),
    )

    it(
      'is recorded while the object is kept, and in no other state',
      inStore(async (store) => {
        await keep(store, 1, 10)
        const { location } = object(1)
        const found = async () => {
          const row = await store.read((tx) => tx.audit.object(location))
          return [row?.state, row?.checkedAt, row?.damagedAt]
        }
        assert.deepEqual(await found(), ['kept', at(10), undefined])
        assert.equal(await store.write([], (tx) => tx.objects.markDamaged(location, at(20))), true)
        assert.equal(await store.write([], (tx) => tx.objects.markDamaged(location, at(30))), true)
        assert.deepEqual(await found(), ['kept', at(30), at(20)])
        assert.equal(
          await store.write([], (tx) => tx.objects.noteIntact(location, { readAt: at(40), at: at(40) })),
          true,
        )
        assert.deepEqual(await found(), ['kept', at(40), undefined])
        await store.write([], (tx) => tx.objects.move(location, { from: 'kept', to: 'orphaned', at: at(50) }))
        assert.equal(await store.write([], (tx) => tx.objects.markDamaged(location, at(60))), false)
        assert.equal(
          await store.write([], (tx) => tx.objects.noteIntact(location, { readAt: at(60), at: at(60) })),
          false,
        )
        assert.deepEqual(await found(), ['orphaned', at(40), undefined])
      }),
    )

    it(
      'is listed by the longest unread objects, from the first one after another',
      inStore(async (store) => {
        for (const [number, seconds] of [
          [1, 30],
          [2, 10],
          [3, 20],
          [4, 40],
          [5, 20],
        ] as const)
          await keep(store, number, seconds)
        await insert(store, 6, 'marked')
        const listed = async (before: number, after: number | undefined, max = 9) => {
          const last =
            after === undefined ? undefined : await store.read((tx) => tx.audit.object(object(after).location))
          const range = { before: at(before), after: last, max }
          const objects = await store.read((tx) => tx.objects.listToScrub(range))
          return objects.map(({ location }) =>
            [1, 2, 3, 4, 5, 6].find((number) => object(number).location === location),
          )
        }
        assert.deepEqual(await listed(40, undefined), [2, 3, 5, 1])
        assert.deepEqual(await listed(41, undefined, 2), [2, 3])
        assert.deepEqual(await listed(41, 3), [5, 1, 4])
        assert.deepEqual(await listed(20, undefined), [2])
      }),
    )

    it(
      'is answered with the blob and alone, with whether the content is on hold',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await keep(store, 1, 10)
        await keep(store, 2, 10)
        await store.write([], async (tx) => {
          await tx.assets.reserve(asset(1))
          await tx.assets.addBlob(assetBlob(1))
          await tx.assets.addBlob(assetBlob(2))
          await tx.objects.markDamaged(object(1).location, at(20))
          await tx.holds.add({ ciphertextHash: hash(2), reason: 'asked for', createdAt: at(1) })
        })
        const standing = (number: number) =>
          store.read((tx) => tx.objects.statusOf(object(number).location, hash(number)))
        const expected = [
          { objectState: 'kept', damagedAt: at(20), isSuspected: false, isOnHold: false },
          { objectState: 'kept', damagedAt: undefined, isSuspected: false, isOnHold: true },
        ]
        assert.deepEqual([await standing(1), await standing(2), await standing(3)], [...expected, undefined])
        const ofAsset = await store.read((tx) => tx.assets.liveBlobsOf(accountId(1), assetId(1)))
        const ofContent = await store.read((tx) => tx.assets.objectsOf(accountId(1), hash(2)))
        assert.deepEqual(
          [...ofAsset, ...ofContent].map(({ objectState, damagedAt, isSuspected, isOnHold }) => ({
            objectState,
            damagedAt,
            isSuspected,
            isOnHold,
          })),
          [...expected, expected[1]],
        )
      }),
    )

    it(
      'is reported with the id of the asset or drop that owns the object',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await store.write([], async (tx) => {
          await tx.assets.reserve(asset(1))
          await tx.assets.addBlob(assetBlob(1, { role: 'original' }))
          await tx.drops.insert(drop(2))
        })
        const owner = (number: number) =>
          store.read((tx) => tx.objects.ownerOf(object(number).location, uploadId(number)))
        assert.deepEqual(
          [await owner(1), await owner(2), await owner(3)],
          [{ assetId: assetId(1), role: 'original' }, { dropId: drop(2).dropId }, undefined],
        )
      }),
    )
  })
}
