import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { describeRanges } from './bytes/ranges.ts'
import {
  badLocations,
  bodyOf,
  freshLocation,
  freshPlace,
  type InWorld,
  inWorldOf,
  listAll,
  type OpenWorld,
  readBytes,
  writeBody,
  writeBytes,
} from './bytes/world.ts'

/** Tests the promises of `Staging` on one adapter. Call it once per adapter, from the adapter’s own test file. */
export function describeStaging(name: string, openWorld: OpenWorld, { hasKeys }: { readonly hasKeys: boolean }): void {
  const inWorld = inWorldOf(openWorld)
  describe(`${name} keeps the promises of Staging`, () => {
    describeWriting(inWorld, hasKeys)
    describeStopping(inWorld)
    if (hasKeys) describeKeys(inWorld)
    else describeRanges(inWorld)
  })
}

/** A body that gives `bytes`, then neither more bytes nor its end. */
async function* stuckAfter(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
  await new Promise(() => undefined)
}

function describeWriting(inWorld: InWorld, hasKeys: boolean): void {
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
        await blobs.write(
          { location, key: blobs.newKey(location), offset: 0 },
          { body: bodyOf(bytes, pieceBytes), signal, onBytes: () => undefined },
        )
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
    'passes each piece to onBytes once and in order',
    inWorld(async ({ blobs }) => {
      const bytes = randomBytes(200_000)
      const seen: Uint8Array[] = []
      const signal = new AbortController().signal
      await blobs.write(freshPlace(blobs), {
        body: bodyOf(bytes, 999),
        signal,
        onBytes: (piece) => seen.push(Buffer.from(piece)),
      })
      assert.ok(bytes.equals(Buffer.concat(seen)))
    }),
  )

  it(
    'keeps objects separate that are written and settled simultaneously',
    inWorld(async ({ blobs }) => {
      // Of files more than are kept open; each object in a store with keys is requests of its own.
      const length = hasKeys ? 100 : 400
      const objects = Array.from({ length }, () => ({ location: freshLocation(), bytes: randomBytes(3_000) }))
      await Promise.all(objects.map(({ location, bytes }) => writeBytes(blobs, location, bytes.subarray(0, 1_000))))
      await Promise.all(objects.map(({ location, bytes }) => writeBytes(blobs, location, bytes.subarray(1_000), 1_000)))
      await Promise.all(objects.map(({ location, bytes }) => blobs.settle(location, bytes.length)))
      for (const { location, bytes } of objects) assert.ok(bytes.equals(await readBytes(blobs, location)))
    }),
  )

  it(
    'refuses a location that the server did not make',
    inWorld(async ({ blobs }) => {
      for (const location of badLocations()) {
        await assert.rejects(writeBytes(blobs, location, Buffer.from('x')), RangeError)
      }
      assert.deepEqual(await listAll(blobs), [])
    }),
  )

  it(
    'knows how many bytes can still be written',
    inWorld(async ({ blobs }) => {
      const free = await blobs.check()
      assert.ok(free > 0 && (Number.isSafeInteger(free) || free === Number.POSITIVE_INFINITY))
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
      const writing = blobs.write(
        { location, key: blobs.newKey(location), offset: 0 },
        {
          body: stuckAfter(randomBytes(100_000)),
          signal: abort.signal,
          onBytes: () => setImmediate(() => abort.abort(reason)),
        },
      )
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
      const writing = blobs.write(
        { location, key: blobs.newKey(location), offset: 0 },
        { body: bodyOf(randomBytes(10)), signal, onBytes: () => undefined },
      )
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
      const writing = blobs.write(freshPlace(blobs), { body: body(), signal, onBytes: () => undefined })
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
      const writing = blobs.write(freshPlace(blobs), { body: bodyOf(randomBytes(10)), signal, onBytes })
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
      await assert.rejects(blobs.write(freshPlace(blobs), { body: body(), signal, onBytes }), /enough/)
      assert.equal(wasLeft, true)
    }),
  )
}

function describeKeys(inWorld: InWorld): void {
  it(
    'gives a new key below the location each time, and never falls back',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const keys = Array.from({ length: 100 }, () => blobs.newKey(location) ?? '')
      assert.equal(new Set(keys).size, 100)
      for (const key of keys) assert.match(key.slice(location.length), /^\/[0-9a-f]{16}$/)
      assert.ok(keys.every((key) => key.startsWith(location)))
      assert.equal(blobs.mayFallBack, false)
    }),
  )

  it(
    'stores nothing of a body that throws at its end',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      async function* body() {
        yield randomBytes(1_000_000)
        throw new Error('the checksum is wrong')
      }
      await assert.rejects(writeBody(blobs, location, body()), /checksum is wrong/)
      assert.equal(await blobs.size(location), undefined)
      assert.deepEqual(await listAll(blobs), [])
    }),
  )

  it(
    'refuses a key that is not below its location',
    inWorld(async ({ blobs }) => {
      const location = freshLocation()
      const request = { body: bodyOf(randomBytes(10)), signal: new AbortController().signal, onBytes: () => undefined }
      for (const key of [undefined, '', location, `${location}/x`, `${freshLocation()}/0123456789abcdef`])
        await assert.rejects(blobs.write({ location, key, offset: 0 }, request), RangeError)
      assert.deepEqual(await listAll(blobs), [])
    }),
  )
}
