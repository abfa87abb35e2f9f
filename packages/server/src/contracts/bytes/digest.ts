import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { BlobMissing } from '../../ground/storageErrors.ts'
import { freshLocation, type InWorld, writeBytes } from './world.ts'

const never = new AbortController().signal

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function describeDigests(inWorld: InWorld, { hasKeys }: { readonly hasKeys: boolean }): void {
  // No part is empty.
  const lengths = [1, 63, 64, 65, 131_072, 1_048_575, 1_048_576, 1_048_577, 7_340_033, ...(hasKeys ? [] : [0])]

  it(
    'hashes an object of any length, settled or not',
    inWorld(async ({ blobs, reopen }) => {
      for (const length of lengths) {
        const location = freshLocation()
        const bytes = randomBytes(length)
        await writeBytes(blobs, location, bytes)
        const expected = { sha256: hashOf(bytes), size: length }
        assert.deepEqual(await blobs.digest(location, length, never), expected)
        await blobs.settle(location, length)
        assert.deepEqual(await (await reopen()).digest(location, length, never), expected)
      }
    }),
  )

  it(
    'hashes all of a shorter object, and answers its size',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const bytes = randomBytes(3_000_000)
      await writeBytes(blobs, location, bytes)
      const expected = { sha256: hashOf(bytes), size: 3_000_000 }
      for (const size of [3_000_001, 2 ** 40, Number.MAX_SAFE_INTEGER])
        assert.deepEqual(await blobs.digest(location, size, never), expected)
    }),
  )

  it(
    'hashes only the first bytes of a longer object, and answers its true size',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const bytes = randomBytes(3_000_000)
      await writeBytes(blobs, location, bytes)
      for (const size of [0, 1, 1_048_576, 2_999_999]) {
        const expected = { sha256: hashOf(bytes.subarray(0, size)), size: 3_000_000 }
        assert.deepEqual(await blobs.digest(location, size, never), expected)
      }
    }),
  )

  it(
    'throws BlobMissing for a missing object, and refuses an invalid size',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      await assert.rejects(blobs.digest(location, 1, never), BlobMissing)
      for (const size of [-1, 0.5, Number.NaN, 2 ** 53])
        await assert.rejects(blobs.digest(location, size, never), RangeError)
      await writeBytes(blobs, location, Buffer.from('x'))
      await blobs.remove(location)
      await assert.rejects(blobs.digest(location, 1, never), BlobMissing)
    }),
  )
  describeMany(inWorld)
}

function describeMany(inWorld: InWorld): void {
  it(
    'hashes many objects at once, some of them missing, and does not mix them up',
    inWorld(async ({ blobs }) => {
      const objects = Array.from({ length: 60 }, (_, index) => ({
        location: freshLocation(),
        bytes: randomBytes(3_000 * index),
      }))
      for (const { location, bytes } of objects) await writeBytes(blobs, location, bytes)
      const missing = objects.map(() => blobs.digest(freshLocation(), 1, never).catch((error: unknown) => error))
      const digests = await Promise.all(
        objects.map(({ location, bytes }) => blobs.digest(location, bytes.length, never)),
      )
      assert.deepEqual(
        digests,
        objects.map(({ bytes }) => ({ sha256: hashOf(bytes), size: bytes.length })),
      )
      for (const error of await Promise.all(missing)) assert.ok(error instanceof BlobMissing)
    }),
  )

  it(
    'does not block the event loop while it hashes',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      await writeBytes(blobs, location, randomBytes(16_000_000))
      let turns = 0
      let isHashing = true
      const turn = () => {
        turns += 1
        if (isHashing) setImmediate(turn)
      }
      setImmediate(turn)
      await blobs.digest(location, 16_000_000, never)
      isHashing = false
      assert.ok(turns > 1, `${turns} turns of the event loop`)
    }),
  )

  it(
    'throws the reason of a signal that aborts before or while it hashes, and completes other digests',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const bytes = randomBytes(4_000_000)
      await writeBytes(blobs, location, bytes)
      const reason = Object.assign(new Error('the client has disconnected'), { code: 'ECONNRESET', syscall: 'read' })
      const isReason = (error: unknown) => error === reason
      await assert.rejects(blobs.digest(location, bytes.length, AbortSignal.abort(reason)), isReason)

      const abort = new AbortController()
      const aborted = Array.from({ length: 20 }, () => blobs.digest(location, bytes.length, abort.signal))
      const others = [blobs.digest(location, bytes.length, never), blobs.digest(location, bytes.length, never)]
      abort.abort(reason)
      for (const each of aborted) await assert.rejects(each, isReason)
      for (const each of await Promise.all(others)) assert.equal(each.sha256, hashOf(bytes))
    }),
  )
}
