import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { BlobMissing } from './blobs.ts'
import { describeAway } from './blobsContract/away.ts'
import { describeDigests } from './blobsContract/digest.ts'
import {
  type BlobsWorld,
  bodyOf,
  freshLocation,
  type InWorld,
  listAll,
  readBytes,
  writeBytes,
} from './blobsContract/world.ts'

/** Tests the promises of `Blobs` on one adapter. Call it once per adapter, from the adapter’s own test file. */
export function describeBlobs(name: string, openWorld: () => Promise<BlobsWorld>): void {
  const inWorld: InWorld = (work) => async () => {
    const world = await openWorld()
    try {
      await work(world)
    } finally {
      await world.close()
    }
  }
  describe(`${name} keeps the promises of Blobs`, () => {
    describeWriting(inWorld)
    describeStopping(inWorld)
    describeSettling(inWorld)
    describeReading(inWorld)
    describeDigests(inWorld)
    describeKeeping(inWorld)
    describeAway(inWorld)
  })
}

/** A body that gives `bytes`, then neither more bytes nor its end. */
async function* stuckAfter(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
  await new Promise(() => undefined)
}

function describeWriting(inWorld: InWorld): void {
  it(
    'reads the bytes that were written, in pieces of any size',
    inWorld(async ({ blobs }) => {
      for (const [length, pieceBytes] of [
        [1, 1],
        [5_000, 7],
        [70_000, 65_536],
        [3_000_001, 65_536],
        [2_500_000, 2_500_000],
      ] as const) {
        const location = freshLocation()
        const bytes = randomBytes(length)
        const signal = new AbortController().signal
        await blobs.write(location, { offset: 0, body: bodyOf(bytes, pieceBytes), signal, onBytes: () => undefined })
        assert.equal(await blobs.size(location), length)
        assert.ok(bytes.equals(await readBytes(blobs, location)))
      }
    }),
  )

  it(
    'appends chunks at their offsets',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const bytes = randomBytes(300_000)
      for (let offset = 0; offset < bytes.length; offset += 70_001) {
        await writeBytes(blobs, location, bytes.subarray(offset, offset + 70_001), offset)
      }
      assert.ok(bytes.equals(await readBytes(blobs, location)))
    }),
  )

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

  it(
    'passes each piece to onBytes once and in order',
    inWorld(async ({ blobs }) => {
      const bytes = randomBytes(200_000)
      const seen: Uint8Array[] = []
      const signal = new AbortController().signal
      await blobs.write(freshLocation(), {
        offset: 0,
        body: bodyOf(bytes, 999),
        signal,
        onBytes: (piece) => seen.push(Buffer.from(piece)),
      })
      assert.ok(bytes.equals(Buffer.concat(seen)))
    }),
  )

  it(
    'refuses a location that the server did not make',
    inWorld(async ({ blobs }) => {
      const good = freshLocation()
      const hash = good.slice(3, 67)
      const bad = [
        '',
        '../escape',
        `/${good}`,
        `${good}/..`,
        `${good}\0`,
        `${good}\n`,
        `../${good}`,
        good.toUpperCase(),
        hash,
      ]
      for (const location of [...bad, good.replace('/', '\\'), `${good.slice(0, 3)}../../${good.slice(3)}`]) {
        await assert.rejects(writeBytes(blobs, location, Buffer.from('x')), RangeError)
        await assert.rejects(blobs.settle(location, 1), RangeError)
        await assert.rejects(blobs.size(location), RangeError)
        await assert.rejects(readBytes(blobs, location), RangeError)
        await assert.rejects(blobs.digest(location, 1, new AbortController().signal), RangeError)
        await assert.rejects(blobs.remove(location), RangeError)
      }
      assert.deepEqual(await listAll(blobs), [])
    }),
  )
}

function describeStopping(inWorld: InWorld): void {
  it(
    'stops at once when the signal aborts, even while the body gives nothing, and writes nothing more',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const reason = new Error('superseded')
      const abort = new AbortController()
      const writing = blobs.write(location, {
        offset: 0,
        body: stuckAfter(randomBytes(100_000)),
        signal: abort.signal,
        onBytes: () => setImmediate(() => abort.abort(reason)),
      })
      await assert.rejects(writing, reason)
      await writeBytes(blobs, location, Buffer.from('the newer request'))
      await blobs.settle(location, 17)
      assert.equal((await readBytes(blobs, location)).toString(), 'the newer request')
    }),
  )

  it(
    'writes nothing if the signal aborted before',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const signal = AbortSignal.abort(new Error('too late'))
      const writing = blobs.write(location, {
        offset: 0,
        body: bodyOf(randomBytes(10)),
        signal,
        onBytes: () => undefined,
      })
      await assert.rejects(writing, /too late/)
      assert.equal(await blobs.size(location), undefined)
    }),
  )

  it(
    "rejects with the body's own error, even if it looks like an error of the system",
    inWorld(async ({ blobs }) => {
      const cut = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
      async function* body() {
        yield randomBytes(10)
        throw cut
      }
      const signal = new AbortController().signal
      const writing = blobs.write(freshLocation(), { offset: 0, body: body(), signal, onBytes: () => undefined })
      await assert.rejects(writing, (error) => error === cut)
    }),
  )

  it(
    'rejects with what onBytes throws',
    inWorld(async ({ blobs }) => {
      const onBytes = () => {
        throw new RangeError('past the declared size')
      }
      const signal = new AbortController().signal
      const writing = blobs.write(freshLocation(), { offset: 0, body: bodyOf(randomBytes(10)), signal, onBytes })
      await assert.rejects(writing, /past the declared size/)
    }),
  )

  it(
    'ends a body that it does not read to its end',
    inWorld(async ({ blobs }) => {
      let wasLeft = false
      async function* body() {
        try {
          for (;;) yield randomBytes(10)
        } finally {
          wasLeft = true
        }
      }
      const onBytes = () => {
        throw new Error('enough')
      }
      const signal = new AbortController().signal
      await assert.rejects(blobs.write(freshLocation(), { offset: 0, body: body(), signal, onBytes }), /enough/)
      assert.equal(wasLeft, true)
    }),
  )
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
    'keeps objects separate that are written and settled simultaneously',
    inWorld(async ({ blobs }) => {
      const objects = Array.from({ length: 400 }, () => ({ location: freshLocation(), bytes: randomBytes(3_000) }))
      await Promise.all(objects.map(({ location, bytes }) => writeBytes(blobs, location, bytes.subarray(0, 1_000))))
      await Promise.all(objects.map(({ location, bytes }) => writeBytes(blobs, location, bytes.subarray(1_000), 1_000)))
      await Promise.all(objects.map(({ location, bytes }) => blobs.settle(location, bytes.length)))
      for (const { location, bytes } of objects) assert.ok(bytes.equals(await readBytes(blobs, location)))
    }),
  )
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
    'throws BlobMissing when it reads a missing object, and knows no size of it',
    inWorld(async ({ blobs }) => {
      await assert.rejects(readBytes(blobs, freshLocation()), BlobMissing)
      assert.equal(await blobs.size(freshLocation()), undefined)
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

  it(
    'knows how many bytes can still be written',
    inWorld(async ({ blobs }) => {
      const free = await blobs.freeBytes()
      assert.ok(Number.isSafeInteger(free) && free > 0)
    }),
  )
}
