import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { BlobMissing } from '../../ground/storageErrors.ts'
import { freshLocation, type InWorld, readBytes, writeBytes } from './world.ts'

/** What `Staging` promises of a store without keys: each chunk is a range of one file. */
export function describeRanges(inWorld: InWorld): void {
  it(
    'refuses to create an object at an offset above 0',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      await assert.rejects(writeBytes(blobs, location, randomBytes(10), 5), BlobMissing)
      assert.equal(await blobs.size(location), undefined)
      await writeBytes(blobs, location, randomBytes(5))
      await writeBytes(blobs, location, randomBytes(10), 5)
      assert.equal(await blobs.size(location), 15)
    }),
  )

  it(
    'overwrites what an unacknowledged write left, and keeps the bytes before it',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      await writeBytes(blobs, location, Buffer.from('kept, lost and longer'))
      await writeBytes(blobs, location, Buffer.from('found'), 6)
      assert.equal((await readBytes(blobs, location)).toString(), 'kept, foundand longer')
    }),
  )
  describeSettling(inWorld)
}

function describeSettling(inWorld: InWorld): void {
  it(
    'settles an object at exactly the size, also twice',
    inWorld(async ({ blobs, reopen }) => {
      const location = freshLocation()
      const bytes = randomBytes(10_000)
      await writeBytes(blobs, location, bytes)
      await blobs.settle(location, 9_000)
      await blobs.settle(location, 9_000)
      assert.equal(await blobs.size(location), 9_000)
      assert.ok(bytes.subarray(0, 9_000).equals(await readBytes(await reopen(), location)))
    }),
  )

  it(
    'settles an object that another process wrote',
    inWorld(async ({ blobs, reopen }) => {
      const location = freshLocation()
      await writeBytes(blobs, location, randomBytes(5_000))
      const later = await reopen()
      await later.settle(location, 5_000)
      assert.equal(await later.size(location), 5_000)
    }),
  )

  it(
    'refuses to settle an object that is too short, and settles it after the rest was written',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const bytes = randomBytes(10_000)
      await writeBytes(blobs, location, bytes.subarray(0, 9_999))
      await assert.rejects(blobs.settle(location, 10_000), /fewer/)
      assert.equal(await blobs.size(location), 9_999)
      await writeBytes(blobs, location, bytes.subarray(9_999), 9_999)
      await blobs.settle(location, 10_000)
      assert.ok(bytes.equals(await readBytes(blobs, location)))
    }),
  )

  it(
    'throws BlobMissing when it settles a missing object',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      await assert.rejects(blobs.settle(location, 1), BlobMissing)
      await writeBytes(blobs, location, Buffer.from('x'))
      await blobs.settle(location, 1)
    }),
  )

  it(
    'hashes what was written last',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const bytes = randomBytes(2_000_000)
      await writeBytes(blobs, location, bytes)
      const before = await blobs.digest(location, bytes.length, new AbortController().signal)
      bytes[1_999_999] = (bytes[1_999_999] ?? 0) ^ 1
      await writeBytes(blobs, location, bytes.subarray(1_999_999), 1_999_999)
      const after = await blobs.digest(location, bytes.length, new AbortController().signal)
      assert.notEqual(after.sha256, before.sha256)
      assert.equal(after.sha256, createHash('sha256').update(bytes).digest('hex'))
    }),
  )
}
