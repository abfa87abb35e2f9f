import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { concatBytes, fromHex, toHex } from '@blindkeep/protocol/bytes'
import fc from 'fast-check'
import vectors from '../../../../vectors/sealed-blobs.json' with { type: 'json' }
import { fileHashOf } from '../ground/sha256.ts'
import { PURPOSES, type Purpose } from './derive.ts'
import { createSealer, type SealerOptions, sealSmall } from './seal.ts'
import { hashSealed, sealRange } from './sealStream.ts'
import { type Source, SourceChanged, sourceOfBlob, sourceOfBytes } from './source.ts'

const SEGMENT = 1_048_560
const key = new Uint8Array(32).fill(9)
const contextId = new Uint8Array(16).fill(4)
const CYCLE = Uint8Array.from({ length: 251 }, (_, index) => index)
const pattern = (size: number) => new Uint8Array(Buffer.alloc(size, CYCLE))

function purposeOf(text: string): Purpose {
  const purpose = PURPOSES.find((one) => one === text)
  assert.ok(purpose)
  return purpose
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(Uint8Array.from(piece))
  return concatBytes(...parts)
}

async function sealed(content: Uint8Array, options: Partial<SealerOptions> = {}) {
  const header = { size: content.length, name: 'file' }
  const sealer = await createSealer({ key, purpose: 'original', contextId, header, ...options })
  const source = sourceOfBytes(content)
  const record = await hashSealed({ sealer, source })
  const whole = await collect(sealRange({ sealer, source, tags: record.tags, from: 0, to: sealer.sealedSize }))
  return { sealer, source, record, whole }
}

describe('sealed blobs of the vectors', () => {
  it('exist', () => assert.ok(vectors.valid.length > 0))

  for (const vector of vectors.valid) {
    it(`are reproduced byte for byte: ${vector.name}`, async () => {
      const sealer = await createSealer({
        key: fromHex(vector.key),
        purpose: purposeOf(vector.purpose),
        contextId: fromHex(vector.context_id),
        salt: fromHex(vector.salt),
        header: vector.header,
        plaintextSize: vector.plaintext_size,
        kemCt: vector.kem_ct === undefined ? undefined : fromHex(vector.kem_ct),
      })
      const source = sourceOfBytes(pattern(vector.header.size))
      const { ciphertextHash, size, tags } = await hashSealed({ sealer, source })
      assert.equal(ciphertextHash, vector.sealed_sha256)
      assert.equal(size, vector.sealed_size)
      assert.equal(sealer.sealedSize, vector.sealed_size)
      const whole = await collect(sealRange({ sealer, source, tags, from: 0, to: size }))
      assert.equal(createHash('sha256').update(whole).digest('hex'), vector.sealed_sha256)
      if (vector.sealed !== undefined) assert.equal(toHex(whole), vector.sealed)
    })
  }
})

describe('a sealer', () => {
  it('gives the same bytes for the same salt and header, and others for another salt', async () => {
    const first = await sealed(pattern(100))
    const again = await sealed(pattern(100), { salt: first.sealer.salt })
    const other = await sealed(pattern(100))
    assert.deepEqual(again.whole, first.whole)
    assert.equal(again.record.ciphertextHash, first.record.ciphertextHash)
    assert.notDeepEqual(other.whole, first.whole)
  })

  it('states the size of the blob in advance', async () => {
    const sizes = [0, 1, 15, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT]
    for (const size of sizes) {
      const { sealer, whole, record } = await sealed(pattern(size))
      assert.equal(whole.length, sealer.sealedSize)
      assert.equal(record.size, sealer.sealedSize)
      assert.equal(sealer.segmentCount, Math.max(1, Math.ceil(size / SEGMENT)))
    }
  })

  it('refuses a segment of another length or index', async () => {
    const { sealer } = await sealed(pattern(10))
    await assert.rejects(sealer.sealSegment(0, pattern(11)), RangeError)
    await assert.rejects(sealer.sealSegment(1, pattern(10)), RangeError)
    await assert.rejects(sealer.sealSegment(-1, pattern(10)), RangeError)
  })

  it('refuses a kem_ct or salt of another length, and less plaintext than the file', async () => {
    await assert.rejects(sealed(pattern(1), { kemCt: new Uint8Array(1119) }), RangeError)
    await assert.rejects(sealed(pattern(2), { plaintextSize: 1 }), RangeError)
    await assert.rejects(sealed(pattern(2), { salt: new Uint8Array(15) }), RangeError)
  })

  it('seals only small secrets with sealSmall', async () => {
    const blob = await sealSmall(pattern(32), { key, purpose: 'account-key', contextId })
    assert.equal(blob.length, 1 + 16 + 32 + 1 + 1040 + 32 + 16)
    await assert.rejects(sealSmall(pattern(SEGMENT + 1), { key, purpose: 'share-index', contextId }), RangeError)
  })
})

describe('a range of a sealed blob', () => {
  it('has exactly the bytes from its start to its end', async () => {
    const { sealer, source, record, whole } = await sealed(pattern(2 * SEGMENT + 77))
    const edges = [0, 1, sealer.prefix.length, sealer.prefix.length + SEGMENT + 16, whole.length]
    const near = fc.tuple(fc.constantFrom(...edges), fc.integer({ min: -20, max: 20 })).map(([edge, by]) => edge + by)
    const position = fc.oneof(near, fc.nat(whole.length)).map((at) => Math.min(Math.max(at, 0), whole.length))
    await fc.assert(
      fc.asyncProperty(position, position, async (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const range = await collect(sealRange({ sealer, source, tags: record.tags, from, to }))
        assert.ok(Buffer.compare(range, whole.subarray(from, to)) === 0)
      }),
      { numRuns: 40 },
    )
  })

  it('reads only its own segments', async () => {
    const content = pattern(3 * SEGMENT)
    const { sealer, record } = await sealed(content)
    const reads: number[] = []
    const source: Source = {
      ...sourceOfBytes(content),
      async read(from, to) {
        reads.push(from)
        return content.subarray(from, to)
      },
    }
    const from = sealer.prefix.length + SEGMENT + 16 + 5
    await collect(sealRange({ sealer, source, tags: record.tags, from, to: from + 10 }))
    assert.deepEqual(reads, [SEGMENT])
  })

  it('is refused outside the blob, and with the tags of another one', async () => {
    const { sealer, source, record, whole } = await sealed(pattern(10))
    const { tags } = record
    for (const [from, to] of [
      [-1, 1],
      [0, whole.length + 1],
      [5, 4],
      [0.5, 1],
    ] as const)
      await assert.rejects(collect(sealRange({ sealer, source, tags, from, to })), RangeError)
    await assert.rejects(collect(sealRange({ sealer, source, tags: tags.subarray(16), from: 0, to: 1 })), RangeError)
  })
})

describe('a file that changed between two attempts', () => {
  it('returns no byte of a segment that differs from the hashed one', async () => {
    const content = pattern(2 * SEGMENT + 10)
    const { sealer, record, whole } = await sealed(content)
    const changed = Uint8Array.from(content)
    changed[SEGMENT + 3] = 255
    const given: Uint8Array[] = []
    const sending = async () => {
      const ranges = sealRange({ sealer, source: sourceOfBytes(changed), tags: record.tags, from: 0, to: whole.length })
      for await (const piece of ranges) given.push(Uint8Array.from(piece))
    }
    await assert.rejects(sending, SourceChanged)
    const until = sealer.prefix.length + SEGMENT + 16
    assert.equal(concatBytes(...given).length, until)
    assert.ok(Buffer.compare(concatBytes(...given), whole.subarray(0, until)) === 0)
  })

  it('is detected by its size before anything is sealed', async () => {
    const { sealer, record } = await sealed(pattern(100))
    const { tags } = record
    for (const size of [99, 101]) {
      const source = sourceOfBytes(pattern(size))
      await assert.rejects(collect(sealRange({ sealer, source, tags, from: 0, to: 10 })), SourceChanged)
      await assert.rejects(hashSealed({ sealer, source }), SourceChanged)
    }
  })

  it('is detected when it ends early', async () => {
    const { sealer } = await sealed(pattern(100))
    const source: Source = { ...sourceOfBytes(pattern(100)), read: async () => pattern(60) }
    await assert.rejects(hashSealed({ sealer, source }), SourceChanged)
  })

  it('is detected when another header would be sealed under the same salt', async () => {
    const { sealer, source, record } = await sealed(pattern(100))
    const renamed = await createSealer({
      key,
      purpose: 'original',
      contextId,
      salt: sealer.salt,
      header: { size: 100, name: 'fil2' },
    })
    const { tags } = record
    await assert.rejects(collect(sealRange({ sealer: renamed, source, tags, from: 0, to: 1 })), SourceChanged)
  })
})

describe('the hashing pass', () => {
  it('reports its progress up to the whole', async () => {
    const content = pattern(SEGMENT + 5)
    const { sealer, source } = await sealed(content)
    const progress: number[] = []
    await hashSealed({ sealer, source, onProgress: (bytes) => progress.push(bytes) })
    assert.deepEqual(progress, [sealer.prefix.length, sealer.prefix.length + SEGMENT + 16, sealer.sealedSize])
  })

  it('stops with the signal’s reason, before and during the pass', async () => {
    const { sealer, source } = await sealed(pattern(3 * SEGMENT))
    const reason = new Error('enough')
    await assert.rejects(hashSealed({ sealer, source, signal: AbortSignal.abort(reason) }), reason)
    const controller = new AbortController()
    const hashing = hashSealed({
      sealer,
      source,
      signal: controller.signal,
      onProgress: (bytes) => {
        if (bytes > SEGMENT) controller.abort(reason)
      },
    })
    await assert.rejects(hashing, reason)
  })

  it('uses the given hash', async () => {
    const { sealer, source, record } = await sealed(pattern(1000))
    const fast = createHash('sha256')
    const hash = { update: (bytes: Uint8Array) => void fast.update(bytes), digest: () => fast.digest('hex') }
    assert.deepEqual(await hashSealed({ sealer, source, hash: fileHashOf(hash) }), record)
  })

  it('reads one piece at a time', async () => {
    let [reading, maxReading] = [0, 0]
    const sizeMany = 40 * SEGMENT
    const source: Source = {
      size: sizeMany,
      requireEnd: async () => undefined,
      async read(from, to) {
        reading++
        maxReading = Math.max(maxReading, reading)
        const bytes = new Uint8Array(to - from)
        await Promise.resolve()
        reading--
        return bytes
      },
    }
    const sealer = await createSealer({ key, purpose: 'original', contextId, header: { size: sizeMany } })
    const none = { update: () => undefined, digest: () => '' }
    await hashSealed({ sealer, source, hash: fileHashOf(none) })
    assert.equal(maxReading, 1)
  })
})

describe('a source', () => {
  it('reads a Blob like its bytes', async () => {
    const bytes = pattern(5000)
    const source = sourceOfBlob(new Blob([bytes]))
    assert.equal(source.size, 5000)
    assert.deepEqual(await source.read(10, 4000), bytes.subarray(10, 4000))
  })

  it('reports a changed file when the browser cannot read it any more', async () => {
    const removed = new Blob([pattern(10)])
    const failing = { arrayBuffer: async () => Promise.reject(new DOMException('changed', 'NotReadableError')) }
    Object.defineProperty(removed, 'slice', { value: () => failing })
    await assert.rejects(sourceOfBlob(removed).read(0, 5), SourceChanged)
  })
})
