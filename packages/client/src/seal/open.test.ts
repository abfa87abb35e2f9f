import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { concatBytes, fromHex } from '@blindkeep/protocol/bytes'
import { FORMAT_BLOB } from '@blindkeep/protocol/suites'
import fc from 'fast-check'
import vectors from '../../../../vectors/sealed-blobs.json' with { type: 'json' }
import { PURPOSES, type Purpose } from './derive.ts'
import { openBlob, openSmall } from './open.ts'
import { HEADER_BYTES_USUAL, type OpenContext, openPrefix, readPrefix } from './openHeader.ts'
import { createSealer, sealSmall, segmentRange } from './seal.ts'
import { SealError } from './sealError.ts'
import { plaintextSizeOf, prefixBytes, sealedSizeOf } from './sealedBlob.ts'

const SEGMENT = 1_048_560
const CYCLE = Uint8Array.from({ length: 251 }, (_, index) => index)
const pattern = (size: number) => new Uint8Array(Buffer.alloc(size, CYCLE))
const key = new Uint8Array(32).fill(9)
const contextId = new Uint8Array(16).fill(4)
const context: OpenContext = { key, purpose: 'original', contextId }

function purposeOf(text: string): Purpose {
  const purpose = PURPOSES.find((one) => one === text)
  assert.ok(purpose)
  return purpose
}

/** The bytes in pieces of `size`, as from a network. */
async function* inPieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function openWhole(sealed: Uint8Array, how: OpenContext, pieceSize?: number) {
  const { header, content } = await openBlob(inPieces(sealed, pieceSize), how)
  const parts: Uint8Array[] = []
  for await (const piece of content) parts.push(piece)
  return { header, content: concatBytes(...parts) }
}

type BlobVector = (typeof vectors.valid)[number]

async function sealedBytesOf(vector: BlobVector): Promise<Uint8Array> {
  const sealer = await createSealer({
    key: fromHex(vector.key),
    purpose: purposeOf(vector.purpose),
    contextId: fromHex(vector.context_id),
    salt: fromHex(vector.salt),
    header: vector.header,
    plaintextSize: vector.plaintext_size,
    kemCt: vector.kem_ct === undefined ? undefined : fromHex(vector.kem_ct),
  })
  const plaintext = concatBytes(pattern(vector.header.size), new Uint8Array(vector.plaintext_size - vector.header.size))
  const parts: Uint8Array[] = [sealer.prefix]
  for (let index = 0; index < sealer.segmentCount; index++) {
    const { from, to } = segmentRange(sealer, index)
    parts.push(await sealer.sealSegment(index, plaintext.subarray(from, to)))
  }
  const sealed = vector.sealed === undefined ? concatBytes(...parts) : fromHex(vector.sealed)
  assert.equal(createHash('sha256').update(sealed).digest('hex'), vector.sealed_sha256)
  return sealed
}

const contextOf = (vector: { key: string; purpose: string; context_id: string }): OpenContext => ({
  key: fromHex(vector.key),
  purpose: purposeOf(vector.purpose),
  contextId: fromHex(vector.context_id),
})

function refusal(reason: string) {
  return (error: unknown) => {
    assert.ok(error instanceof SealError, String(error))
    assert.equal(error.reason, reason)
    return true
  }
}

describe('opening the blobs of the vectors', () => {
  it('has vectors of every kind', () => {
    const { valid, tolerated, invalid } = vectors
    for (const list of [valid, tolerated.blobs, invalid.blobs, invalid.edits]) assert.ok(list.length > 0)
  })

  for (const vector of vectors.valid) {
    it(`returns header and content: ${vector.name}`, async () => {
      const sealed = await sealedBytesOf(vector)
      const opened = await openWhole(sealed, contextOf(vector))
      assert.deepEqual(opened.header, vector.header)
      assert.ok(Buffer.compare(opened.content, pattern(vector.header.size)) === 0)
    })
  }

  for (const { name, header, sealed } of vectors.tolerated.blobs)
    it(`returns header and content: ${name}`, async () => {
      const opened = await openWhole(fromHex(sealed), contextOf(vectors.tolerated))
      assert.deepEqual(opened.header, header)
      assert.deepEqual(opened.content, pattern(header.size))
    })

  for (const vector of vectors.invalid.blobs) {
    it(`refuses for ${vector.reason}: ${vector.name}`, async () => {
      const how = contextOf(vectors.invalid)
      for (const size of [7, 65_536])
        await assert.rejects(openWhole(fromHex(vector.sealed), how, size), refusal(vector.reason))
    })
  }

  for (const vector of vectors.invalid.edits) {
    it(`refuses for ${vector.reason}: ${vector.name}`, async () => {
      const base = vectors.valid.find(({ name }) => name === vector.from)
      assert.ok(base)
      const sealed = concatBytes((await sealedBytesOf(base)).subarray(0, vector.keep), fromHex(vector.append))
      await assert.rejects(openWhole(sealed, contextOf(base)), refusal(vector.reason))
    })
  }
})

describe('opening a blob', () => {
  it('returns the sealed content for pieces of any size', async () => {
    const content = fc.oneof(fc.uint8Array({ maxLength: 3000 }), fc.constantFrom(SEGMENT, SEGMENT + 1).map(pattern))
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1000, max: 2_000_000 }), async (bytes, pieceSize) => {
        const header = { size: bytes.length }
        const sealer = await createSealer({ key, purpose: 'original', contextId, header })
        const parts: Uint8Array[] = [sealer.prefix]
        for (let index = 0; index < sealer.segmentCount; index++)
          parts.push(await sealer.sealSegment(index, bytes.subarray(index * SEGMENT, (index + 1) * SEGMENT)))
        const opened = await openWhole(concatBytes(...parts), context, pieceSize)
        assert.ok(Buffer.compare(opened.content, bytes) === 0)
      }),
      { numRuns: 30 },
    )
  })

  it('fails when any bit was flipped', async () => {
    const sealed = await sealSmall(pattern(40), { key, purpose: 'original', contextId })
    for (let index = 0; index < sealed.length; index++) {
      const altered = Uint8Array.from(sealed)
      altered[index] = (sealed[index] ?? 0) ^ (1 << (index % 8))
      await assert.rejects(openSmall(altered, context), SealError, `byte ${index}`)
    }
  })

  it('fails when truncated at any byte', async () => {
    const sealed = await sealSmall(pattern(40), { key, purpose: 'original', contextId })
    for (let length = 0; length < sealed.length; length++)
      await assert.rejects(openSmall(sealed.subarray(0, length), context), SealError)
  })

  it('fails for another key, purpose or context at the commitment, before the header is decrypted', async () => {
    const sealed = await sealSmall(pattern(40), { key, purpose: 'album-name', contextId })
    const right: OpenContext = { key, purpose: 'album-name', contextId }
    assert.deepEqual(await openSmall(sealed, right), pattern(40))
    const wrong: Partial<OpenContext>[] = [
      { key: new Uint8Array(32) },
      { purpose: 'link-label' },
      { contextId: new Uint8Array(16) },
    ]
    for (const change of wrong) await assert.rejects(openSmall(sealed, { ...right, ...change }), refusal('wrong_key'))
  })

  it('reads streams of a browser, and cancels them with the content', async () => {
    const sealer = await createSealer({ key, purpose: 'original', contextId, header: { size: 3 * SEGMENT } })
    let cancelled: unknown
    let index = -1
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(index < 0 ? sealer.prefix : await sealer.sealSegment(index, new Uint8Array(SEGMENT)))
        index++
      },
      cancel(reason) {
        cancelled = reason
      },
    })
    const { content } = await openBlob(stream, context)
    const reader = content.getReader()
    assert.equal((await reader.read()).value?.length, SEGMENT)
    await reader.cancel('seen enough')
    assert.equal(cancelled, 'seen enough')
  })

  it('cancels a stream that is not a blob', async () => {
    let cancelled = false
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(100)),
      cancel() {
        cancelled = true
      },
    })
    await assert.rejects(openBlob(stream, context), refusal('unknown_format'))
    assert.equal(cancelled, true)
  })

  it('rejects with the stream’s own error', async () => {
    const sealed = await sealSmall(pattern(40), { key, purpose: 'original', contextId })
    const failing = async function* () {
      yield sealed.subarray(0, sealed.length - 5)
      throw new Error('connection lost')
    }
    const { content } = await openBlob(failing(), context)
    await assert.rejects(content.getReader().read(), /connection lost/)
  })
})

describe('opening just the header', () => {
  /** Answers range requests from the blob. */
  const asking = (blob: Uint8Array, asked: number[]) => async (count: number) => {
    asked.push(count)
    return Uint8Array.from(blob.subarray(0, count))
  }
  const open = async (blob: Uint8Array) => openPrefix(await readPrefix(asking(blob, [])), context)

  it('needs one request, and a second one for a long name and note', async () => {
    for (const note of ['short', 'n'.repeat(3000)]) {
      const header = { size: 5, name: 'a.txt', note }
      const kemCt = new Uint8Array(1120).fill(3)
      const sealer = await createSealer({ key, purpose: 'original', contextId, header, kemCt })
      const sealed = concatBytes(sealer.prefix, await sealer.sealSegment(0, pattern(5)))
      const asked: number[] = []
      const prefix = await readPrefix(asking(sealed, asked))
      assert.deepEqual(prefix, sealer.prefix)
      assert.deepEqual(asked, note === 'short' ? [HEADER_BYTES_USUAL] : [HEADER_BYTES_USUAL, sealer.prefix.length])
      const opened = await openPrefix(prefix, context)
      assert.deepEqual(opened.header, header)
      assert.deepEqual([opened.salt, opened.kemCt], [sealer.salt, kemCt])
    }
  })

  it('refuses bytes that are not a blob, end inside the header or belong to another key', async () => {
    await assert.rejects(open(Uint8Array.of(9)), refusal('unknown_format'))
    const sealed = await sealSmall(pattern(1), { key: new Uint8Array(32), purpose: 'original', contextId })
    for (const bytes of [0, 1, 50, 1000]) await assert.rejects(open(sealed.subarray(0, bytes)), refusal('truncated'))
    await assert.rejects(open(sealed), refusal('wrong_key'))
  })

  it('throws only SealError for any bytes', async () => {
    const bytes = fc.tuple(fc.constantFrom(0, 1, 2, 3), fc.uint8Array({ maxLength: 3000 }))
    await fc.assert(
      fc.asyncProperty(bytes, async ([format, rest]) => {
        await assert.rejects(open(concatBytes(Uint8Array.of(format), rest)), SealError)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the size of a blob', () => {
  it('determines the plaintext size, or undefined when no blob has this size', () => {
    const bytesBefore = prefixBytes(FORMAT_BLOB, 1)
    const sizes = fc.oneof(fc.nat(5_000_000), fc.constantFrom(0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 3 * SEGMENT))
    fc.assert(
      fc.property(sizes, (plaintextSize) => {
        assert.equal(plaintextSizeOf(sealedSizeOf(bytesBefore, plaintextSize), bytesBefore), plaintextSize)
      }),
    )
    const full = bytesBefore + SEGMENT + 16
    const impossible = [0, bytesBefore, bytesBefore + 15, full + 1, full + 16]
    assert.deepEqual(
      impossible.map((size) => plaintextSizeOf(size, bytesBefore)),
      impossible.map(() => undefined),
    )
  })
})
