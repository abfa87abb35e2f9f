import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Store, Upload, UploadState, WriteTx } from '../../ports/store.ts'
import { accountId, at, atOnce, countTrue, hash, type InStore, opaqueId, seed, upload, uploadId } from './world.ts'

export function describeUploads(inStore: InStore): void {
  describe('upload sessions', () => {
    describeMoves(inStore)
    describeLists(inStore)
    describeSharing(inStore)
    describePruning(inStore)
  })
}

export const find = (store: Store, number: number) => store.read((tx) => tx.uploads.find(uploadId(number)))
export const chunk = (offset: number, length: number) => ({ offset, length, checksum: hash(offset + 1) })
const ids = (uploads: readonly Pick<Upload, 'uploadId'>[]) => uploads.map((each) => each.uploadId)

export async function inState(tx: WriteTx, number: number, state: UploadState, seconds: number): Promise<void> {
  await tx.uploads.insert(upload(number))
  if (state === 'open') return
  assert.ok(await close(tx, number, state, seconds))
}

async function close(tx: WriteTx, number: number, state: UploadState, seconds: number): Promise<boolean> {
  const failure = state === 'failed' ? 'content_hash_wrong' : undefined
  return await tx.uploads.move(uploadId(number), { from: 'open', to: state, at: at(seconds), failure })
}

function describeMoves(inStore: InStore): void {
  it(
    'accept one of 64 simultaneous moves',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.uploads.insert(upload(1)))
      const moved = await atOnce(store, 64, (tx, index) =>
        tx.uploads.move(uploadId(1), { from: 'open', to: index % 2 === 0 ? 'finishing' : 'ended', at: at(index) }),
      )
      assert.equal(countTrue(moved), 1)
      assert.equal(
        await store.write([], (tx) => tx.uploads.move(uploadId(9), { from: 'open', to: 'ended', at: at(1) })),
        false,
      )
    }),
  )
}

/** What several processes tell each other in the row. */
function describeSharing(inStore: InStore): void {
  const lease = (store: Store, by: string, seconds: number) =>
    store.write([], (tx) => tx.uploads.lease(uploadId(1), { by, at: at(seconds), until: at(seconds + 60) }))

  it(
    'are leased by one process at a time while they finish',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.uploads.insert(upload(1)))
      assert.equal(await lease(store, 'one', 0), false)
      const first = { by: 'one', until: at(60) }
      await store.write([], (tx) =>
        tx.uploads.move(uploadId(1), { from: 'open', to: 'finishing', at: at(0), lease: first }),
      )
      assert.deepEqual((await find(store, 1))?.lease, first)
      const waiting = (by: string, seconds: number) => store.read((tx) => tx.uploads.finishing({ by, at: at(seconds) }))
      assert.deepEqual([await waiting('one', 59), await waiting('two', 59)], [[uploadId(1)], []])
      assert.equal(await lease(store, 'two', 59), false)
      assert.equal(await lease(store, 'one', 10), true)
      assert.equal(await lease(store, 'two', 69), false)
      assert.deepEqual(await waiting('two', 70), [uploadId(1)])
      const took = await atOnce(store, 8, (tx, index) =>
        tx.uploads.lease(uploadId(1), { by: `node ${index}`, at: at(70), until: at(130) }),
      )
      assert.equal(countTrue(took), 1)
      await store.write([], (tx) => tx.uploads.move(uploadId(1), { from: 'finishing', to: 'landed', at: at(80) }))
      assert.equal(await lease(store, 'one', 200), false)
      assert.equal((await find(store, 1))?.lease, undefined)
    }),
  )

  it(
    'are not ended as idle after another chunk, or while they are marked as written to',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.uploads.insert(upload(1)))
      const end = (receivedBytes: number, seconds: number) =>
        store.write([], (tx) =>
          tx.uploads.move(uploadId(1), { from: 'open', to: 'ended', at: at(seconds), receivedBytes }),
        )
      await store.write([], (tx) => tx.uploads.markWriting(uploadId(1), at(60)))
      await store.write([], (tx) => tx.uploads.markWriting(uploadId(1), at(50)))
      assert.equal((await find(store, 1))?.writingUntil, at(60))
      assert.equal(await end(0, 59), false)
      await store.write([], (tx) => tx.uploads.append(uploadId(1), chunk(0, 10), at(59)))
      assert.equal((await find(store, 1))?.writingUntil, undefined)
      assert.equal(await end(0, 59), false)
      await store.write([], (tx) => tx.uploads.markWriting(uploadId(1), at(60)))
      assert.equal(await end(10, 60), true)
      assert.equal((await find(store, 1))?.writingUntil, undefined)
      await store.write([], (tx) => tx.uploads.markWriting(uploadId(1), at(99)))
      assert.equal((await find(store, 1))?.writingUntil, undefined)
    }),
  )
}

function describeLists(inStore: InStore): void {
  it(
    'are listed by link while they are open, and all while they are finishing',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        for (const [index, state] of (['open', 'finishing', 'landed', 'failed', 'ended', 'open'] as const).entries()) {
          await inState(tx, index + 1, state, 5)
        }
        await tx.uploads.insert(upload(7, { opaqueId: opaqueId(2) }))
        await tx.uploads.insert(upload(8, { opaqueId: opaqueId(2) }))
        await tx.uploads.move(uploadId(8), { from: 'open', to: 'finishing', at: at(5) })
      })
      await store.read(async (tx) => {
        assert.deepEqual(ids(await tx.uploads.openOf(opaqueId(1))).toSorted(), [uploadId(1), uploadId(6)])
        assert.deepEqual(ids(await tx.uploads.openOf(opaqueId(2))), [uploadId(7)])
        assert.deepEqual([...(await tx.uploads.finishing({ by: 'one process', at: at(9) }))].toSorted(), [
          uploadId(2),
          uploadId(8),
        ])
      })
    }),
  )

  it(
    'are listed when they expired: without a chunk, idle or too old',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.uploads.insert(upload(1, { createdAt: at(499) }))
        await tx.uploads.insert(upload(2, { createdAt: at(500) }))
        await tx.uploads.insert(upload(3, { createdAt: at(400) }))
        await tx.uploads.append(uploadId(3), chunk(0, 1), at(449))
        await tx.uploads.insert(upload(4, { createdAt: at(400) }))
        await tx.uploads.append(uploadId(4), chunk(0, 1), at(450))
        await tx.uploads.insert(upload(5, { createdAt: at(99) }))
        await tx.uploads.append(uploadId(5), chunk(0, 1), at(600))
        await tx.uploads.insert(upload(6, { createdAt: at(100) }))
        await tx.uploads.append(uploadId(6), chunk(0, 1), at(600))
        await tx.uploads.insert(upload(7, { createdAt: at(0) }))
        await tx.uploads.move(uploadId(7), { from: 'open', to: 'finishing', at: at(1) })
      })
      const limits = { noChunkBefore: at(500), idleBefore: at(450), createdBefore: at(100) }
      const expired = (max: number) => store.read((tx) => tx.uploads.expired({ ...limits, max }))
      assert.deepEqual(ids(await expired(10)).toSorted(), [uploadId(1), uploadId(3), uploadId(5)])
      assert.equal((await expired(2)).length, 2)
    }),
  )

  it(
    'claim what they have not received yet, while they are open',
    inStore(async (store) => {
      await seed(store)
      const claims = (account: number, activeSince: number, accountBytesMax: number) =>
        store.read((tx) =>
          tx.uploads.claims({ accountId: accountId(account), activeSince: at(activeSince), accountBytesMax }),
        )
      const nothing = { allBytes: 0, ownBytes: 0, othersEarnedBytes: 0, othersUnearnedBytes: 0 }
      assert.deepEqual(await claims(1, 0, 1000), nothing)
      await store.write([], async (tx) => {
        await tx.uploads.insert(upload(1, { createdAt: at(1) }))
        await tx.uploads.append(uploadId(1), chunk(0, 30), at(9))
        await tx.uploads.insert(upload(2, { createdAt: at(5), size: 5 }))
        await inState(tx, 3, 'ended', 1)
        await tx.uploads.insert(upload(4, { createdAt: at(5), size: 10 }))
        await tx.uploads.append(uploadId(4), chunk(0, 8), at(5))
      })
      // 70, 5 and 2 bytes of one account, of which another one sees 30 and 2 as earned.
      const own = { allBytes: 77, ownBytes: 77, othersEarnedBytes: 0, othersUnearnedBytes: 0 }
      assert.deepEqual(await claims(1, 5, 1000), own)
      assert.deepEqual(await claims(1, 6, 1000), { ...own, ownBytes: 70 })
      assert.deepEqual(await claims(1, 10, 1000), { ...own, ownBytes: 0 })
      const others = { allBytes: 77, ownBytes: 0, othersEarnedBytes: 32, othersUnearnedBytes: 45 }
      assert.deepEqual(await claims(2, 5, 45), others)
      assert.deepEqual(await claims(2, 5, 44), { ...others, othersUnearnedBytes: 44 })
      assert.deepEqual(await claims(2, 6, 45), { ...others, othersEarnedBytes: 30, othersUnearnedBytes: 40 })
      const third = { accountId: accountId(2), opaqueId: opaqueId(2), createdAt: at(5) }
      await store.write([], (tx) => tx.uploads.insert(upload(5, third)))
      assert.deepEqual(await claims(2, 5, 45), { ...others, allBytes: 177, ownBytes: 100 })
      assert.deepEqual(await claims(9, 5, 45), { ...others, allBytes: 177, othersUnearnedBytes: 90 })
    }),
  )
}

function describePruning(inStore: InStore): void {
  it(
    'are pruned with their chunks if they closed before an instant',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        const closings = [
          ['landed', 99],
          ['failed', 99],
          ['ended', 99],
          ['landed', 100],
          ['finishing', 50],
          ['open', 0],
        ] as const
        for (const [index, [state, seconds]] of closings.entries()) {
          await tx.uploads.insert(upload(index + 1))
          await tx.uploads.append(uploadId(index + 1), chunk(0, 1), at(1))
          if (state !== 'open') await close(tx, index + 1, state, seconds)
        }
        const which = { closedBefore: at(100), unlandedBefore: at(0), max: 2 }
        assert.deepEqual([await tx.uploads.prune(which), await tx.uploads.prune(which)], [2, 1])
      })
      const kept = await store.read((tx) =>
        Promise.all(
          [1, 2, 3, 4, 5, 6].map(async (number) => [
            (await tx.uploads.find(uploadId(number))) !== undefined,
            (await tx.uploads.chunks(uploadId(number))).length,
          ]),
        ),
      )
      assert.deepEqual(kept, [
        [false, 0],
        [false, 0],
        [false, 0],
        [true, 1],
        [true, 1],
        [true, 1],
      ])
    }),
  )

  it(
    'are pruned sooner if they failed or ended',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        for (const [index, state] of (['ended', 'failed', 'landed', 'open', 'ended'] as const).entries())
          await inState(tx, index + 1, state, index === 4 ? 20 : 19)
        const which = { closedBefore: at(0), unlandedBefore: at(20), max: 1 }
        assert.deepEqual([await tx.uploads.prune(which), await tx.uploads.prune(which)], [1, 1])
        assert.equal(await tx.uploads.prune(which), 0)
      })
      const kept = await Promise.all([1, 2, 3, 4, 5].map(async (number) => (await find(store, number))?.state))
      assert.deepEqual(kept, [undefined, undefined, 'landed', 'open', 'ended'])
    }),
  )
}
