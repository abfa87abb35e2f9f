import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseUploadId } from '@blindkeep/protocol/ids'
import { HEADERS } from '@blindkeep/protocol/wire'
import { systemEnvironment } from '../ground/environment.ts'
import { createChunkReader } from '../seal/chunkReader.ts'
import { createFreeing } from '../seal/freedMemory.ts'
import { createSealer } from '../seal/seal.ts'
import { hashSealed } from '../seal/sealStream.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { createChunksAhead } from './chunksAhead.ts'
import { sendBlob } from './sendBlob.ts'

const MIB = 1024 * 1024
const bytesAt = (from: number, to: number) => Uint8Array.from({ length: to - from }, (_, index) => from + index)

/** Records the reads, and how many ran at once. */
function watchedReader(fails: (from: number) => boolean = () => false) {
  const read: number[] = []
  let [reading, maxReading] = [0, 0]
  return {
    read,
    maxReading: () => maxReading,
    async readChunk(from: number, to: number) {
      read.push(from)
      maxReading = Math.max(maxReading, ++reading)
      await new Promise(setImmediate)
      reading--
      if (fails(from)) throw new Error(`nothing at ${from}`)
      return bytesAt(from, to)
    },
  }
}

describe('a chunk that was begun ahead', () => {
  it('is returned with its checksum, and not read again', async () => {
    const { readChunk, read } = watchedReader()
    const chunks = createChunksAhead(readChunk)
    chunks.begin({ offset: 3, end: 9 })
    const { bytes, checksum } = await chunks.get({ offset: 3, end: 9 })
    assert.deepEqual(bytes, bytesAt(3, 9))
    assert.equal(checksum, createHash('sha256').update(bytes).digest('hex'))
    assert.deepEqual(read, [3])
  })

  it('is discarded when another range is requested, which is read only afterwards', async () => {
    const { readChunk, maxReading } = watchedReader()
    const chunks = createChunksAhead(readChunk)
    for (const end of [8, 10]) {
      chunks.begin({ offset: 3, end: 9 })
      assert.deepEqual((await chunks.get({ offset: 3, end })).bytes, bytesAt(3, end))
    }
    assert.equal(maxReading(), 1)
  })

  it('fails only the caller that takes it', async () => {
    const { readChunk } = watchedReader((from) => from === 3)
    const chunks = createChunksAhead(readChunk)
    chunks.begin({ offset: 3, end: 9 })
    assert.equal((await chunks.get({ offset: 4, end: 9 })).bytes.length, 5)
    chunks.begin({ offset: 3, end: 9 })
    await assert.rejects(chunks.get({ offset: 3, end: 9 }), /nothing at 3/)
  })
})

describe('while a chunk is being sent', () => {
  it('the next chunk is read', async () => {
    const uploadId = parseUploadId('6f1c3f5e-8d5e-4b6f-9a51-0d0f3f9f6a11')
    assert.ok(uploadId)
    const isSecondRead = Promise.withResolvers<void>()
    await sendBlob({
      path: {
        names: { ask: 'dropSession', append: 'appendChunk' },
        create: async () => ({ uploadId, suggestedChunkBytes: MIB }),
        ask: async () =>
          new Headers({ [HEADERS.offset]: '0', [HEADERS.length]: String(3 * MIB), [HEADERS.state]: 'open' }),
        async append({ offset, bytes }) {
          // Answers only after the next chunk was read; sequential reading would wait forever.
          if (offset === 0) await isSecondRead.promise
          return new Headers({ [HEADERS.offset]: String(offset + bytes.length) })
        },
      },
      size: 3 * MIB,
      segments: { first: 0, each: MIB },
      async readChunk(from, to) {
        if (from === MIB) isSecondRead.resolve()
        return new Uint8Array(to - from)
      },
      uploadId,
      suggestedChunkBytes: MIB,
      environment: systemEnvironment,
    })
  })

  it('its bytes stay unchanged', async () => {
    const content = bytesAt(0, 5 * MIB)
    const options = { key: new Uint8Array(32), purpose: 'original', contextId: new Uint8Array(16) } as const
    const sealer = await createSealer({ ...options, header: { size: content.length } })
    const source = sourceOfBytes(content)
    const { tags } = await hashSealed({ sealer, source })
    const readChunk = createChunkReader({ sealer, source, tags })
    const first = await readChunk(0, 2 * MIB)
    const copy = Uint8Array.from(first)
    await readChunk(2 * MIB, 4 * MIB)
    assert.ok(Buffer.compare(first, copy) === 0)
  })
})

describe('freed memory', () => {
  it('is empty afterwards', () => {
    const bytes = bytesAt(0, 100)
    createFreeing()(bytes)
    assert.equal(bytes.length, 0)
  })
})
