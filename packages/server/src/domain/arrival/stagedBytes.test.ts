import assert from 'node:assert/strict'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { UploadId } from '@blindkeep/protocol/ids'
import { append, bytes, newLink, notRefused, openDrop, uploadRow } from '../../testing/guest.ts'
import { inWorld, sha256, type World } from '../../testing/world.ts'

const content = bytes(100)

/** A session with three chunks of thirty bytes of its hundred, and the path of its file. */
async function threeChunks(world: World): Promise<{ uploadId: UploadId; file: string }> {
  const uploadId = await openDrop(world, await newLink(world), content)
  for (const offset of [0, 30, 60])
    notRefused(await append(world, uploadId, { offset, bytes: content.subarray(offset, offset + 30) }))
  return { uploadId, file: join(world.blobsDirectory, (await uploadRow(world, uploadId)).location) }
}

/** The offset that a start finds after the file was changed while the server was down. */
async function offsetAfter(world: World, change: (file: string) => Promise<void>): Promise<number> {
  const { uploadId, file } = await threeChunks(world)
  await change(file)
  const { staged } = world.restarted()
  assert.equal(await staged.check(await uploadRow(world, uploadId)), false)
  const { receivedBytes, chunkCount } = await uploadRow(world, uploadId)
  assert.equal(await staged.check(await uploadRow(world, uploadId)), true, 'the second check reads no bytes')
  assert.equal(chunkCount, receivedBytes / 30)
  return receivedBytes
}

describe('the bytes of a session after a start', () => {
  it(
    'are accepted when they match the recorded checksums',
    inWorld(async (world) => {
      assert.equal(await offsetAfter(world, async () => undefined), 90)
    }),
  )

  it(
    'may be followed by bytes that were not acknowledged',
    inWorld(async (world) => {
      assert.equal(await offsetAfter(world, (file) => writeFile(file, bytes(500), { flag: 'a' })), 90)
    }),
  )

  it(
    'fall back to the last intact chunk when the file is shorter, altered or missing',
    inWorld(async (world) => {
      for (const [length, offset] of [
        [89, 60],
        [60, 60],
        [59, 30],
        [1, 0],
        [0, 0],
      ] as const) {
        assert.equal(await offsetAfter(world, (file) => truncate(file, length)), offset)
      }
      for (const [flipped, offset] of [
        [0, 0],
        [29, 0],
        [30, 30],
        [89, 60],
      ] as const) {
        const altered = content.slice(0, 90)
        altered[flipped] = (altered[flipped] ?? 0) ^ 1
        assert.equal(await offsetAfter(world, (file) => writeFile(file, altered)), offset)
      }
      assert.equal(await offsetAfter(world, (file) => world.blobs.remove(file.slice(-104))), 0)
    }),
  )

  it(
    'continue after the last intact chunk, and land',
    inWorld(async (world) => {
      const { uploadId, file } = await threeChunks(world)
      await truncate(file, 70)
      const rules = world.restarted()
      const rest = { rules }
      assert.deepEqual(await append(rest, uploadId, { offset: 90, bytes: content.subarray(90) }), {
        refused: 'chunk_misplaced',
        offset: 60,
      })
      assert.deepEqual(await append(rest, uploadId, { offset: 60, bytes: content.subarray(60) }), { offset: 100 })
    }),
  )
})

describe('the running hash', () => {
  it(
    'covers the file so far, and is a copy each time',
    inWorld(async (world) => {
      const { uploadId } = await threeChunks(world)
      const { staged } = world.rules
      assert.equal(staged.hashUpTo(uploadId, 0), undefined)
      staged.hashUpTo(uploadId, 90)?.update('the bytes of an interrupted request')
      assert.equal(staged.hashUpTo(uploadId, 90)?.digest('hex'), sha256(content.subarray(0, 90)))
    }),
  )

  it(
    'is unknown for bytes that this process has not read',
    inWorld(async (world) => {
      const { uploadId } = await threeChunks(world)
      assert.throws(() => world.rules.staged.hashUpTo(uploadId, 60))
      assert.throws(() => world.restarted().staged.hashUpTo(uploadId, 90))
      world.rules.staged.forget(uploadId)
      assert.throws(() => world.rules.staged.hashUpTo(uploadId, 90))
    }),
  )

  it(
    'is computed from the file when it is forgotten, and is undefined when bytes are missing',
    inWorld(async (world) => {
      const { uploadId, file } = await threeChunks(world)
      const last = { offset: 90, length: 10, checksum: sha256(content.subarray(90)) }
      await writeFile(file, content)
      await world.store.write([], async (tx) => {
        await tx.uploads.append(uploadId, last, world.clock.now())
        await tx.uploads.move(uploadId, { from: 'open', to: 'finishing', at: world.clock.now() })
      })
      const upload = await uploadRow(world, uploadId)
      assert.equal(await world.restarted().staged.digest(upload), sha256(content))
      await truncate(file, 99)
      assert.equal(await world.restarted().staged.digest(upload), undefined)
    }),
  )
})
