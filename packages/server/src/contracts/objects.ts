import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { BlobMissing } from '../ground/storageErrors.ts'
import { describeAway } from './bytes/away.ts'
import { describeDigests } from './bytes/digest.ts'
import {
  badLocations,
  freshLocation,
  type InWorld,
  inWorldOf,
  listAll,
  type OpenWorld,
  readBytes,
  writeBytes,
} from './bytes/world.ts'

/** The promises of `Objects`, and both ports' while the store is away. Each adapter's own test file calls it. */
export function describeObjects(name: string, openWorld: OpenWorld, { hasKeys }: { readonly hasKeys: boolean }): void {
  const inWorld = inWorldOf(openWorld)
  describe(`${name} keeps the promises of Objects`, () => {
    describeReading(inWorld)
    describeDigests(inWorld, { hasKeys })
    describeKeeping(inWorld)
    describeAway(inWorld, { hasKeys })
  })
}

function describeReading(inWorld: InWorld): void {
  it(
    'reads exactly the range, or less if the object is shorter',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const bytes = randomBytes(2_000_000)
      await writeBytes(blobs, location, bytes)
      const ranges = [
        [0, 0],
        [0, 1],
        [1, 2_000_000],
        [999_999, 1_000_001],
        [1_999_999, 2_000_000],
        [1_999_000, 3_000_000],
        [2_000_000, 2_000_001],
        [5, 4],
      ] as const
      for (const [start, end] of ranges)
        assert.ok(bytes.subarray(start, end).equals(await readBytes(blobs, location, start, end)))
    }),
  )

  it(
    'gives pieces that later pieces do not overwrite',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const bytes = randomBytes(3_000_000)
      await writeBytes(blobs, location, bytes)
      const pieces: Uint8Array[] = []
      for await (const piece of blobs.read(location, { start: 0, end: bytes.length })) pieces.push(piece)
      assert.ok(pieces.length > 1)
      assert.ok(bytes.equals(Buffer.concat(pieces)))
    }),
  )

  it(
    'gives right pieces that are used before the next one is asked for, to several slow readers at once, when it may reuse their memory',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const bytes = randomBytes(3_000_001)
      await writeBytes(blobs, location, bytes)
      const readSlowly = async (start: number, end: number): Promise<Buffer> => {
        const copies: Buffer[] = []
        for await (const piece of blobs.read(location, { start, end }, { reuses: true })) {
          // Time for what is read ahead.
          await wait(5)
          copies.push(Buffer.from(piece))
        }
        return Buffer.concat(copies)
      }
      const ranges = Array.from({ length: 40 }, (_, at) => [at * 1000, at % 2 === 0 ? bytes.length : 200_000] as const)
      const found = await Promise.all(ranges.map(([start, end]) => readSlowly(start, end)))
      for (const [at, [start, end]] of ranges.entries()) assert.ok(found[at]?.equals(bytes.subarray(start, end)))
    }),
  )

  it(
    'throws BlobMissing when it reads a missing object, and knows no size of it',
    inWorld(async ({ blobs }) => {
      await assert.rejects(readBytes(blobs, freshLocation()), BlobMissing)
      assert.equal(await blobs.size(freshLocation()), undefined)
    }),
  )

  it(
    'throws BlobMissing before the first byte of an object that has another size than the reader says',
    inWorld(async ({ blobs }) => {
      for (const length of [1, 100, 3_000_000]) {
        const location = freshLocation()
        const bytes = randomBytes(length)
        await writeBytes(blobs, location, bytes)
        const read = async (size: number, end: number) => {
          const pieces: Uint8Array[] = []
          for await (const piece of blobs.read(location, { start: 0, end }, { size })) pieces.push(piece)
          return Buffer.concat(pieces)
        }
        assert.deepEqual(await read(length, length), bytes)
        assert.deepEqual(await read(length, Math.ceil(length / 2)), bytes.subarray(0, Math.ceil(length / 2)))
        for (const wrong of [length - 1, length + 1]) {
          await assert.rejects(read(wrong, wrong), BlobMissing)
          await assert.rejects(read(wrong, 1), BlobMissing)
        }
      }
    }),
  )

  it(
    'refuses a location that the server did not make',
    inWorld(async ({ blobs }) => {
      for (const location of badLocations()) {
        await assert.rejects(blobs.size(location), RangeError)
        await assert.rejects(readBytes(blobs, location), RangeError)
        await assert.rejects(blobs.digest(location, 1, new AbortController().signal), RangeError)
        await assert.rejects(blobs.remove(location), RangeError)
      }
      assert.deepEqual(await listAll(blobs), [])
    }),
  )
}

function describeKeeping(inWorld: InWorld): void {
  it(
    'removes only the given object, and accepts a missing one',
    inWorld(async ({ blobs, reopen }) => {
      const [removed, kept, missing] = [freshLocation(), freshLocation(), freshLocation()]
      for (const location of [removed, kept]) await writeBytes(blobs, location, randomBytes(100))
      await blobs.settle(kept, 100)
      for (const location of [removed, removed, missing]) await blobs.remove(location)
      assert.equal(await blobs.size(removed), undefined)
      assert.deepEqual(await listAll(await reopen()), [kept])
    }),
  )

  it(
    'lists every location that has bytes, settled or not',
    inWorld(async ({ blobs }) => {
      const locations = Array.from({ length: 40 }, freshLocation)
      for (const location of locations) await writeBytes(blobs, location, randomBytes(10))
      for (const location of locations.slice(20)) await blobs.settle(location, 10)
      assert.deepEqual(await listAll(blobs), locations.toSorted())
    }),
  )
}
