import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Store, Upload, UploadState, WriteTx } from '../store.ts'
import { accountId, at, atOnce, countTrue, hash, type InStore, opaqueId, seed, upload, uploadId } from './world.ts'

export function describeUploads(inStore: InStore): void {
  describe('upload sessions', () => {
    describeRows(inStore)
    describeChunks(inStore)
    describeWholes(inStore)
    describeMoves(inStore)
    describeLists(inStore)
    describeSharing(inStore)
    describePruning(inStore)
  })
}

const find = (store: Store, number: number) => store.read((tx) => tx.uploads.find(uploadId(number)))
const chunk = (offset: number, length: number) => ({ offset, length, checksum: hash(offset + 1) })
const ids = (uploads: readonly Upload[]) => uploads.map((each) => each.uploadId)

async function inState(tx: WriteTx, number: number, state: UploadState, seconds: number): Promise<void> {
  await tx.uploads.insert(upload(number))
  if (state === 'open') return
  assert.ok(await close(tx, number, state, seconds))
}

async function close(tx: WriteTx, number: number, state: UploadState, seconds: number): Promise<boolean> {
  const failure = state === 'failed' ? 'content_hash_wrong' : undefined
  return await tx.uploads.move(uploadId(number), { from: 'open', to: state, at: at(seconds), failure })
}

function describeRows(inStore: InStore): void {
  it(
    'are returned as they were inserted, open and empty',
    inStore(async (store) => {
      await seed(store)
      const full = upload(2, { suggestedFilename: 'a "name".png', idempotencyKey: 'k', size: Number.MAX_SAFE_INTEGER })
      await store.write([], async (tx) => {
        await tx.uploads.insert(upload(1))
        await tx.uploads.insert(full)
      })
      const fresh = {
        state: 'open',
        receivedBytes: 0,
        chunkCount: 0,
        lastChunkAt: undefined,
        closedAt: undefined,
        failure: undefined,
        writingUntil: undefined,
        lease: undefined,
      }
      assert.deepEqual(await find(store, 1), { ...upload(1), ...fresh })
      assert.deepEqual(await find(store, 2), { ...full, ...fresh })
      assert.equal(await find(store, 3), undefined)
    }),
  )

  it(
    'are found by their idempotency key, on their own link only',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.uploads.insert(upload(1, { idempotencyKey: 'k' }))
        await tx.uploads.insert(upload(2, { idempotencyKey: 'k', opaqueId: opaqueId(2) }))
        await tx.uploads.insert(upload(3))
      })
      const byKey = (number: number, key: string) =>
        store.read(async (tx) => (await tx.uploads.findByIdempotencyKey(opaqueId(number), key))?.uploadId)
      assert.deepEqual(
        [await byKey(1, 'k'), await byKey(2, 'k'), await byKey(1, 'l')],
        [uploadId(1), uploadId(2), undefined],
      )
      await assert.rejects(store.write([], (tx) => tx.uploads.insert(upload(4, { idempotencyKey: 'k' }))))
    }),
  )
}

function describeChunks(inStore: InStore): void {
  it(
    'accept chunks at their end only, and record each',
    inStore(async (store) => {
      await seed(store)
      const appended = await store.write([], async (tx) => {
        await tx.uploads.insert(upload(1))
        const answers = []
        for (const [offset, seconds] of [
          [10, 1],
          [0, 2],
          [0, 3],
          [40, 4],
          [30, 5],
        ] as const) {
          answers.push(await tx.uploads.append(uploadId(1), chunk(offset, 30), at(seconds)))
        }
        return answers
      })
      assert.deepEqual(appended, [false, true, false, false, true])
      const found = await find(store, 1)
      assert.deepEqual([found?.receivedBytes, found?.chunkCount, found?.lastChunkAt], [60, 2, at(5)])
      await store.read(async (tx) => {
        assert.deepEqual(await tx.uploads.chunks(uploadId(1)), [chunk(0, 30), chunk(30, 30)])
        assert.deepEqual(await tx.uploads.chunkAt(uploadId(1), 30), chunk(30, 30))
        assert.equal(await tx.uploads.chunkAt(uploadId(1), 10), undefined)
        assert.deepEqual(await tx.uploads.chunks(uploadId(2)), [])
      })
    }),
  )

  it(
    'are found with their owner, and with the chunk at an offset',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.uploads.insert(upload(1))
        for (const offset of [0, 30]) await tx.uploads.append(uploadId(1), chunk(offset, 30), at(1))
        await tx.accounts.setSuspended(upload(1).accountId, at(3))
      })
      const owner = { suspendedAt: at(3), deletedAt: undefined }
      const found = { upload: await find(store, 1), owner }
      const findAt = (offset: number | undefined) => store.ask((tx) => tx.uploads.findAt(uploadId(1), offset))
      assert.deepEqual(await findAt(30), { ...found, recorded: chunk(30, 30) })
      assert.deepEqual(await findAt(10), { ...found, recorded: undefined })
      assert.deepEqual(await findAt(undefined), { ...found, recorded: undefined })
      assert.equal(await store.ask((tx) => tx.uploads.findAt(uploadId(9), 0)), undefined)
    }),
  )

  it(
    'move to finishing with their last chunk, under a lease, once',
    inStore(async (store) => {
      await seed(store)
      const lease = { by: 'one process', until: at(9) }
      const appended = await store.write([], async (tx) => {
        await tx.uploads.insert(upload(1))
        const last = [30, 0, 30].map((offset) => () => tx.uploads.append(uploadId(1), chunk(offset, 30), at(1), lease))
        const answers = []
        for (const append of last) answers.push(await append())
        return answers
      })
      assert.deepEqual(appended, [false, true, false])
      const found = await find(store, 1)
      assert.deepEqual(
        [found?.state, found?.lease, found?.receivedBytes, found?.chunkCount, found?.closedAt],
        ['finishing', lease, 30, 1, undefined],
      )
    }),
  )

  it(
    'accept one of 64 simultaneous chunks at an offset',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.uploads.insert(upload(1)))
      const appended = await atOnce(store, 64, (tx, index) =>
        tx.uploads.append(uploadId(1), chunk(0, index + 1), at(1)),
      )
      assert.equal(countTrue(appended), 1)
      assert.equal((await find(store, 1))?.receivedBytes, appended.indexOf(true) + 1)
    }),
  )

  it(
    'never record more than the declared size',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.uploads.insert(upload(1)))
      await assert.rejects(store.write([], (tx) => tx.uploads.append(uploadId(1), chunk(0, 101), at(1))))
      assert.equal(await store.write([], (tx) => tx.uploads.append(uploadId(1), chunk(0, 100), at(1))), true)
    }),
  )

  it(
    'accept chunks only while they are open',
    inStore(async (store) => {
      await seed(store)
      const states = ['finishing', 'landed', 'failed', 'ended'] as const
      const appended = await store.write([], async (tx) => {
        for (const [index, state] of states.entries()) await inState(tx, index + 1, state, 5)
        return await Promise.all(states.map((_, index) => tx.uploads.append(uploadId(index + 1), chunk(0, 1), at(6))))
      })
      assert.deepEqual(appended, [false, false, false, false])
      assert.deepEqual(await store.read((tx) => tx.uploads.chunks(uploadId(1))), [])
    }),
  )

  it(
    'remove chunks from an offset on, and continue after the chunks that stay',
    inStore(async (store) => {
      await seed(store)
      const again = await store.write([], async (tx) => {
        for (const number of [1, 2]) {
          await tx.uploads.insert(upload(number))
          for (const offset of [0, 30, 60]) await tx.uploads.append(uploadId(number), chunk(offset, 30), at(1))
        }
        await tx.uploads.removeChunksFrom(uploadId(1), 30)
        return await tx.uploads.append(uploadId(1), chunk(30, 5), at(2))
      })
      assert.equal(again, true)
      const found = await find(store, 1)
      assert.deepEqual([found?.receivedBytes, found?.chunkCount], [35, 2])
      assert.deepEqual(await store.read((tx) => tx.uploads.chunks(uploadId(1))), [chunk(0, 30), chunk(30, 5)])
      assert.equal((await find(store, 2))?.receivedBytes, 90)
      await store.write([], (tx) => tx.uploads.removeChunksFrom(uploadId(2), 0))
      assert.deepEqual([(await find(store, 2))?.receivedBytes, (await find(store, 2))?.chunkCount], [0, 0])
    }),
  )

  it(
    'keep their chunks unless they are open',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.uploads.insert(upload(1))
        await tx.uploads.append(uploadId(1), chunk(0, 100), at(1))
        await tx.uploads.move(uploadId(1), { from: 'open', to: 'finishing', at: at(2) })
        await tx.uploads.removeChunksFrom(uploadId(1), 0)
      })
      assert.equal((await find(store, 1))?.receivedBytes, 100)
      assert.equal((await store.read((tx) => tx.uploads.chunks(uploadId(1)))).length, 1)
    }),
  )
}

function describeWholes(inStore: InStore): void {
  const whole = (number: number) => ({ ...upload(number), key: undefined })

  it(
    'land with the one chunk that is all of them',
    inStore(async (store) => {
      await seed(store)
      const opener = { network: 'n', source: 's', isFirst: true }
      await store.write([], async (tx) => {
        await tx.uploads.insert(upload(1, { opener }))
        await tx.uploads.insert(upload(2, { size: 7 }))
        await tx.uploads.markWriting(uploadId(1), at(8))
        const landed = await tx.uploads.landWhole([whole(1), { ...whole(2), size: 7 }], at(3))
        assert.deepEqual(landed, [uploadId(1), uploadId(2)])
      })
      const landed = { state: 'landed', chunkCount: 1, lastChunkAt: at(3), closedAt: at(3) }
      const left = { failure: undefined, writingUntil: undefined, lease: undefined, opener: undefined }
      const { size, ciphertextHash } = upload(1)
      assert.deepEqual(await find(store, 1), { ...upload(1), ...landed, ...left, receivedBytes: size })
      assert.deepEqual(await store.read((tx) => tx.uploads.chunks(uploadId(1))), [
        { offset: 0, length: size, checksum: ciphertextHash },
      ])
      assert.equal((await find(store, 2))?.receivedBytes, 7)
    }),
  )

  it(
    'do not land if one of them is not open and empty',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await inState(tx, 1, 'open', 1)
        await inState(tx, 2, 'ended', 1)
        await inState(tx, 3, 'open', 1)
        await tx.uploads.append(uploadId(3), chunk(0, 1), at(1))
      })
      for (const number of [2, 3, 4]) {
        const land = store.write([], async (tx) => ({
          refused: 'no',
          landed: await tx.uploads.landWhole([whole(1), whole(number)], at(3)),
        }))
        assert.deepEqual(await land, { refused: 'no', landed: [uploadId(1)] })
        assert.equal((await find(store, 1))?.state, 'open')
      }
      assert.deepEqual(await store.read((tx) => tx.uploads.chunks(uploadId(1))), [])
    }),
  )
}

function describeMoves(inStore: InStore): void {
  it(
    'move only from their present state',
    inStore(async (store) => {
      await seed(store)
      const move = (from: UploadState, to: UploadState, seconds: number) =>
        store.write([], (tx) => tx.uploads.move(uploadId(1), { from, to, at: at(seconds) }))
      const stateAndClosing = async () => [(await find(store, 1))?.state, (await find(store, 1))?.closedAt]
      await store.write([], (tx) => tx.uploads.insert(upload(1)))
      assert.equal(await move('finishing', 'landed', 1), false)
      assert.deepEqual(await stateAndClosing(), ['open', undefined])
      assert.equal(await move('open', 'finishing', 2), true)
      assert.deepEqual(await stateAndClosing(), ['finishing', undefined])
      assert.equal(await move('open', 'ended', 3), false)
      assert.equal(await move('finishing', 'landed', 4), true)
      assert.deepEqual(await stateAndClosing(), ['landed', at(4)])
    }),
  )

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

  it(
    'know who opened them until they close',
    inStore(async (store) => {
      await seed(store)
      const opener = { network: 'a hash', source: 'another', isFirst: true }
      await store.write([], (tx) => tx.uploads.insert(upload(1, { opener })))
      const openerOf = async () => {
        const found = await find(store, 1)
        return found?.assetId === undefined ? found?.opener : undefined
      }
      assert.deepEqual(await openerOf(), opener)
      await store.write([], (tx) => tx.uploads.move(uploadId(1), { from: 'open', to: 'finishing', at: at(1) }))
      assert.deepEqual(await openerOf(), opener)
      await store.write([], (tx) => tx.uploads.move(uploadId(1), { from: 'finishing', to: 'landed', at: at(2) }))
      assert.equal(await openerOf(), undefined)
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
    'reserve what open sessions have not received yet, with a bound for each session and for each account',
    inStore(async (store) => {
      await seed(store)
      const reserved = (windowBytes: number, accountBytesMax: number) =>
        store.read((tx) => tx.uploads.reservedBytes({ windowBytes, accountBytesMax }))
      assert.equal(await reserved(1000, 1000), 0)
      await store.write([], async (tx) => {
        await tx.uploads.insert(upload(1))
        await tx.uploads.append(uploadId(1), chunk(0, 30), at(1))
        await tx.uploads.insert(upload(2, { size: 5 }))
        await inState(tx, 3, 'ended', 1)
      })
      // 70 bytes and 5 bytes of one account.
      assert.equal(await reserved(1000, 1000), 75)
      assert.equal(await reserved(70, 75), 75)
      assert.equal(await reserved(69, 75), 74)
      assert.equal(await reserved(4, 75), 8)
      assert.equal(await reserved(1000, 74), 74)
      await store.write([], (tx) => tx.uploads.insert(upload(4, { accountId: accountId(2), opaqueId: opaqueId(2) })))
      assert.equal(await reserved(70, 75), 145)
      assert.equal(await reserved(1000, 60), 120)
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
        await tx.uploads.prune(at(100))
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
}
