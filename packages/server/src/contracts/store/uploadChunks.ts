import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chunk, find, inState } from './uploads.ts'
import { at, atOnce, countTrue, type InStore, seed, upload, uploadId } from './world.ts'

export function describeUploadChunks(inStore: InStore): void {
  describe('chunks of upload sessions', () => {
    describeChunks(inStore)
    describeWholes(inStore)
  })
}

function describeChunks(inStore: InStore): void {
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
