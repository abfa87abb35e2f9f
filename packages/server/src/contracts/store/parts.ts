import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type JoinedPart,
  type KeptPart,
  type NewPart,
  type ObjectState,
  StorageUnavailable,
  type Store,
  type WriteTx,
} from '../../ports/store.ts'
import { at, atOnce, countTrue, hash, type InStore, object, seed, upload, uploadId } from './world.ts'

/** A part of session 1, which differs by number. */
export function part(number: number, given: Partial<NewPart> = {}): NewPart {
  return { key: keyOf(number), uploadId: uploadId(1), until: at(60), ...given }
}

const keyOf = (number: number) => `${upload(1).location}/${number.toString(16).padStart(16, '0')}`
const kept = (number: number, offset: number, length = 10): KeptPart => ({
  key: keyOf(number),
  offset,
  length,
  checksum: hash(number),
})

/** Records the chunk of ten bytes at `offset`, whose part this is. */
export async function keepPart(tx: WriteTx, number: number, offset: number): Promise<void> {
  assert.ok(await tx.parts.begin(part(number), 4))
  assert.ok(await tx.uploads.append(uploadId(1), kept(number, offset), at(1)))
}

/** The ten-byte parts of the numbers, adjacent from 0 on, joined into the part `number`. */
export function joinedPart(number: number, replaced: readonly number[]): JoinedPart {
  const joined = kept(number, 0, 10 * replaced.length)
  return { uploadId: uploadId(1), joined, replaced: replaced.map(keyOf), removeFrom: at(3_600) }
}

const LOST = { refused: 'lost' }

export function describeParts(inStore: InStore): void {
  describe('parts', () => {
    describeChunks(inStore)
    describeJoining(inStore)
    describeRemoval(inStore)
  })
}

const keptOf = (store: Store) => store.read((tx) => tx.parts.keptOf(uploadId(1)))
const dueKeys = async (store: Store, seconds: number) =>
  (await store.read((tx) => tx.parts.due(at(seconds), 100))).map(({ key }) => key)

async function seedUpload(store: Store): Promise<void> {
  await seed(store)
  await store.write([], async (tx) => {
    await tx.uploads.insert(upload(1))
    await tx.objects.insert(object(1))
  })
}

/** The session has landed with so many parts of ten bytes. */
async function seedLanded(store: Store, parts: number): Promise<void> {
  await seedUpload(store)
  await store.write([], async (tx) => {
    for (let number = 1; number <= parts; number++) await keepPart(tx, number, 10 * (number - 1))
    await tx.uploads.move(uploadId(1), { from: 'open', to: 'finishing', at: at(2) })
    await tx.uploads.move(uploadId(1), { from: 'finishing', to: 'landed', at: at(2) })
    await tx.objects.keep([object(1).location], at(2))
  })
}

function describeChunks(inStore: InStore): void {
  it(
    'are kept in the transaction that records their chunk, in the order of their offsets',
    inStore(async (store) => {
      await seedUpload(store)
      await store.write([], (tx) => keepPart(tx, 9, 0))
      await store.write([], (tx) => keepPart(tx, 3, 10))
      assert.deepEqual(await keptOf(store), [kept(9, 0), kept(3, 10)])
      assert.deepEqual(await dueKeys(store, 1_000), [])
    }),
  )

  it(
    'are kept in the transaction that lands their session, which is one chunk',
    inStore(async (store) => {
      await seedUpload(store)
      const { size, ciphertextHash } = upload(1)
      await store.write([], async (tx) => {
        await tx.parts.begin(part(1), 4)
        assert.deepEqual(await tx.uploads.landWhole([{ ...upload(1), key: keyOf(1) }], at(1)), [uploadId(1)])
      })
      assert.deepEqual(await keptOf(store), [{ ...kept(1, 0, size), checksum: ciphertextHash }])
      assert.deepEqual(await dueKeys(store, 1_000), [])
    }),
  )

  it(
    'are not kept for a chunk that does not continue its session',
    inStore(async (store) => {
      await seedUpload(store)
      await store.write([], (tx) => tx.parts.begin(part(1), 4))
      const append = (offset: number) => store.write([], (tx) => tx.uploads.append(uploadId(1), kept(1, offset), at(1)))
      assert.equal(await append(5), false)
      assert.deepEqual([await keptOf(store), await dueKeys(store, 60)], [[], [keyOf(1)]])
    }),
  )

  it(
    'are not kept once they are given up, and their chunk is not recorded',
    inStore(async (store) => {
      await seedUpload(store)
      await store.write([], (tx) => tx.parts.begin(part(1), 4))
      assert.equal(await store.write([], (tx) => tx.parts.giveUp(keyOf(1), at(2))), true)
      await assert.rejects(
        store.write([], (tx) => tx.uploads.append(uploadId(1), kept(1, 0), at(3))),
        StorageUnavailable,
      )
      const whole = { ...upload(1), key: keyOf(1) }
      await assert.rejects(
        store.write([], (tx) => tx.uploads.landWhole([whole], at(3))),
        StorageUnavailable,
      )
      assert.equal((await store.read((tx) => tx.uploads.find(uploadId(1))))?.receivedBytes, 0)
      assert.deepEqual(await store.read((tx) => tx.uploads.chunks(uploadId(1))), [])
    }),
  )

  it(
    'begin only for an open session, and at most so many at a time',
    inStore(async (store) => {
      await seedUpload(store)
      const begin = (number: number) => store.write([], (tx) => tx.parts.begin(part(number), 2))
      assert.deepEqual([await begin(1), await begin(2), await begin(3)], [true, true, false])
      await store.write([], (tx) => tx.parts.giveUp(keyOf(1), at(1)))
      assert.equal(await begin(4), true)
      await store.write([], (tx) => tx.parts.giveUp(keyOf(2), at(1)))
      await store.write([], (tx) => tx.uploads.move(uploadId(1), { from: 'open', to: 'ended', at: at(2) }))
      assert.equal(await begin(5), false)
    }),
  )

  it(
    'outlive their session, and keep their key taken',
    inStore(async (store) => {
      await seedLanded(store, 2)
      await store.write([], (tx) => tx.uploads.prune({ closedBefore: at(1_000), unlandedBefore: at(0), max: 5 }))
      assert.equal(await store.read((tx) => tx.uploads.find(uploadId(1))), undefined)
      assert.deepEqual(await keptOf(store), [kept(1, 0), kept(2, 10)])
      assert.deepEqual(
        await store.read(async (tx) => [await tx.parts.isKnown(keyOf(1)), await tx.parts.isKnown(keyOf(3))]),
        [true, false],
      )
    }),
  )
}

function describeJoining(inStore: InStore): void {
  const beginJoining = (store: Store, number: number) =>
    store.write([], (tx) => tx.parts.beginJoining({ ...part(number), location: object(1).location }))

  it(
    'are joined by one that takes their place',
    inStore(async (store) => {
      await seedLanded(store, 3)
      assert.equal(await beginJoining(store, 9), true)
      assert.equal(await store.write([], (tx) => tx.parts.extend(keyOf(9), at(90))), true)
      assert.deepEqual([await dueKeys(store, 89), await dueKeys(store, 90)], [[], [keyOf(9)]])
      assert.equal(await store.write([], (tx) => tx.parts.join(joinedPart(9, [1, 2, 3]))), true)
      assert.deepEqual(await keptOf(store), [kept(9, 0, 30)])
      assert.deepEqual([await dueKeys(store, 3_599), (await dueKeys(store, 3_600)).length], [[], 3])
    }),
  )

  it(
    'are not joined if one of them, or the joined one, was given up meanwhile',
    inStore(async (store) => {
      await seedLanded(store, 2)
      await beginJoining(store, 9)
      const join = () => store.write([], async (tx) => ((await tx.parts.join(joinedPart(9, [1, 2]))) ? 'joined' : LOST))
      await store.write([], (tx) => tx.parts.giveUp(keyOf(9), at(5)))
      assert.deepEqual(await join(), LOST)
      assert.deepEqual(await keptOf(store), [kept(1, 0), kept(2, 10)])
    }),
  )

  it(
    'begin for new bytes of an object that a receipt vouches for, beside others',
    inStore(async (store) => {
      await seedUpload(store)
      const begin = (number: number) =>
        store.write([], (tx) => tx.parts.beginReplacing({ ...part(number), location: object(1).location }))
      const move = (from: ObjectState, to: 'orphaned' | 'marked' | 'deleting') =>
        store.write([], (tx) => tx.objects.move(object(1).location, { from, to, at: at(3) }))
      assert.equal(await begin(1), false)
      await store.write([], (tx) => tx.objects.keep([object(1).location], at(2)))
      const begun = [await begin(2), await begin(3)]
      for (const [from, to] of [
        ['kept', 'orphaned'],
        ['orphaned', 'marked'],
        ['marked', 'deleting'],
      ] as const) {
        await move(from, to)
        begun.push(await begin(10 + begun.length))
      }
      assert.deepEqual(begun, [true, true, true, true, false])
      assert.deepEqual(await dueKeys(store, 60), [keyOf(2), keyOf(3), keyOf(12), keyOf(13)])
    }),
  )

  it(
    'are joined by one at a time, and only while their object is kept',
    inStore(async (store) => {
      await seedLanded(store, 2)
      const begun = await atOnce(store, 8, (tx, index) =>
        tx.parts.beginJoining({ ...part(10 + index), location: object(1).location }),
      )
      assert.ok(countTrue(begun) >= 1)
      assert.equal(await beginJoining(store, 30), false)
      const [first] = await dueKeys(store, 60)
      await store.write([], (tx) => tx.parts.giveUp(first ?? '', at(5)))
      await store.write([], (tx) => tx.objects.move(object(1).location, { from: 'kept', to: 'orphaned', at: at(3) }))
      assert.equal(await beginJoining(store, 31), false)
    }),
  )

  it(
    'are listed to be joined while their object is kept and undamaged and has several',
    inStore(async (store) => {
      await seedLanded(store, 2)
      const toJoin = (after?: ReturnType<typeof uploadId>) => store.read((tx) => tx.parts.toJoin(after, 5))
      assert.deepEqual(await toJoin(), [uploadId(1)])
      assert.deepEqual(await toJoin(uploadId(1)), [])
      await store.write([], (tx) => tx.objects.markDamaged(object(1).location, at(3)))
      assert.deepEqual(await toJoin(), [])
      await store.write([], (tx) => tx.objects.noteIntact(object(1).location, { readAt: at(4), at: at(4) }))
      await beginJoining(store, 9)
      await store.write([], (tx) => tx.parts.join(joinedPart(9, [1, 2])))
      assert.deepEqual(await toJoin(), [])
    }),
  )
}

function describeRemoval(inStore: InStore): void {
  it(
    'are due once they are written for too long, and stay so until they are given up',
    inStore(async (store) => {
      await seedUpload(store)
      await store.write([], (tx) => tx.parts.begin(part(1, { until: at(10) }), 4))
      assert.deepEqual(await store.read((tx) => tx.parts.due(at(9), 5)), [])
      const due = { key: keyOf(1), state: 'writing', isRemoved: false }
      assert.deepEqual(await store.read((tx) => tx.parts.due(at(10), 5)), [due])
      assert.equal(await store.write([], (tx) => tx.parts.giveUp(keyOf(1), at(11))), true)
      assert.deepEqual(await store.read((tx) => tx.parts.due(at(11), 5)), [{ ...due, state: 'deleting' }])
    }),
  )

  it(
    'are not given up once they are kept',
    inStore(async (store) => {
      await seedUpload(store)
      await store.write([], (tx) => keepPart(tx, 1, 0))
      assert.equal(await store.write([], (tx) => tx.parts.giveUp(keyOf(1), at(2))), false)
      assert.deepEqual(await keptOf(store), [kept(1, 0)])
    }),
  )

  it(
    'go after their bytes were removed twice',
    inStore(async (store) => {
      await seedUpload(store)
      await store.write([], (tx) => keepPart(tx, 1, 0))
      await store.write([], (tx) => tx.parts.releaseKept(uploadId(1), at(20)))
      assert.deepEqual([await keptOf(store), await dueKeys(store, 19)], [[], []])
      await store.write([], (tx) => tx.parts.remove(keyOf(1)))
      assert.deepEqual(await dueKeys(store, 20), [keyOf(1)])
      await store.write([], (tx) => tx.parts.noteRemoved(keyOf(1), at(100)))
      assert.deepEqual(await dueKeys(store, 99), [])
      const [again] = await store.read((tx) => tx.parts.due(at(100), 5))
      assert.equal(again?.isRemoved, true)
      await store.write([], (tx) => tx.parts.remove(keyOf(1)))
      assert.equal(await store.read((tx) => tx.parts.isKnown(keyOf(1))), false)
    }),
  )
}
