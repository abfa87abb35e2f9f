import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { concatBytes } from '@blindkeep/protocol/bytes'
import { type CborValue, encodeCbor } from '@blindkeep/protocol/cbor'
import { MAX_BATCH_FILES } from '@blindkeep/protocol/suites'
import fc from 'fast-check'
import { anyCharacter } from '../../../../testing/decoding.ts'
import { decodeHeader, encodeHeader, type Header } from './header.ts'
import { SealError } from './sealError.ts'

const text = fc.string({ unit: anyCharacter, maxLength: 300 })
/** A character has at most four bytes. */
const shortText = fc.string({ unit: anyCharacter, maxLength: 60 })
const headers: fc.Arbitrary<Header> = fc.record(
  {
    size: fc.maxSafeInteger().map(Math.abs),
    name: text,
    type: shortText,
    modified_at: fc
      .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    note: text,
    sender: shortText,
  },
  { requiredKeys: ['size'] },
)

const batch = '0123456789abcdef'.repeat(2)
const batches = fc.record(
  {
    batch: fc.constant(batch),
    batch_index: fc.nat(MAX_BATCH_FILES - 1),
    batch_count: fc.integer({ min: 1, max: MAX_BATCH_FILES }),
  },
  { requiredKeys: ['batch'] },
)

const longest = {
  size: Number.MAX_SAFE_INTEGER,
  name: 'é'.repeat(4096),
  type: 't'.repeat(255),
  modified_at: '9999-12-31T23:59:59.999Z',
  note: 'n'.repeat(49_152),
  sender: '😀'.repeat(256),
  batch,
  batch_index: MAX_BATCH_FILES - 1,
  batch_count: MAX_BATCH_FILES,
}

function read(...fields: readonly [string, CborValue][]): Header {
  return decodeHeader(encodeCbor(new Map<string, CborValue>([['size', 1], ...fields])))
}

describe('a header', () => {
  it('is read back, in whole blocks of 1024 bytes', () => {
    fc.assert(
      fc.property(headers, (header) => {
        const encoded = encodeHeader(header)
        assert.equal(encoded.length % 1024, 0)
        assert.ok(encoded.length >= 1024)
        const expected = Object.entries(header).map(([name, value]) => [
          name,
          typeof value === 'string' ? value.replace(/^\uFEFF+/u, '') : value,
        ])
        assert.deepEqual(decodeHeader(encoded), Object.fromEntries(expected))
      }),
    )
  })

  it('has its batch, with position and count if they are known', () => {
    fc.assert(
      fc.property(batches, (of) => {
        assert.deepEqual(decodeHeader(encodeHeader({ size: 1, name: 'a', ...of })), { size: 1, name: 'a', ...of })
      }),
    )
  })

  it('is not made with a batch that a reader would pass over', () => {
    for (const wrong of [
      { batch: batch.toUpperCase() },
      { batch: `${batch}\n` },
      { batch_index: 0 },
      { batch, batch_index: -1 },
      { batch, batch_index: MAX_BATCH_FILES },
      { batch, batch_count: 0 },
      { batch, batch_count: 1e9 },
    ])
      assert.throws(() => encodeHeader({ size: 0, ...wrong }), RangeError)
  })

  it('is read without what is wrong in its batch, as older clients read all of it', () => {
    assert.deepEqual(read(['batch', 'not hex'], ['batch_index', 1], ['batch_count', 2]), { size: 1 })
    assert.deepEqual(read(['batch', 7]), { size: 1 })
    assert.deepEqual(read(['batch_index', 1]), { size: 1 })
    assert.deepEqual(read(['batch', batch], ['batch_index', '1'], ['batch_count', 1e9]), { size: 1, batch })
    assert.deepEqual(read(['batch', batch], ['batch_index', 1.5], ['batch_count', 3]), {
      size: 1,
      batch,
      batch_count: 3,
    })
  })

  it('has lists as text, and is read without one that is longer than its bound or no text', () => {
    for (const [field, most] of [
      ['fields', 8000],
      ['questions', 4200],
      ['file_kinds', 500],
    ] as const) {
      const longest = { size: 1, [field]: 'x'.repeat(most) }
      assert.deepEqual(decodeHeader(encodeHeader(longest)), longest)
      assert.throws(() => encodeHeader({ size: 1, [field]: 'x'.repeat(most + 1) }), RangeError)
      for (const value of ['x'.repeat(most + 1), 7]) assert.deepEqual(read([field, value]), { size: 1 })
    }
    assert.throws(() => encodeHeader({ ...longest, fields: 'x'.repeat(8000) }), {
      name: 'RangeError',
      message: /together/u,
    })
  })

  it('omits unknown fields', () => {
    assert.deepEqual(decodeHeader(encodeHeader({ size: 0, name: undefined })), { size: 0 })
  })

  it('has its time in UTC with milliseconds for any offset', () => {
    const { modified_at } = decodeHeader(encodeHeader({ size: 0, modified_at: '2026-03-01T11:20:30+01:00' }))
    assert.equal(modified_at, '2026-03-01T10:20:30.000Z')
  })

  it('replaces text that UTF-8 cannot encode', () => {
    assert.equal(decodeHeader(encodeHeader({ size: 0, name: 'a\uD800b' })).name, 'a\uFFFDb')
    assert.equal(decodeHeader(encodeHeader({ size: 0, name: '\uFEFFname' })).name, 'name')
  })

  it('has at most 64 blocks with the longest text in each field', () => {
    const encoded = encodeHeader(longest)
    assert.ok(encoded.length <= 65_536)
    assert.deepEqual(decodeHeader(encoded), longest)
  })

  for (const field of ['name', 'type', 'note', 'sender'] as const)
    it(`is neither made nor read with one byte more in its ${field}`, () => {
      const tooLong = { ...longest, [field]: `${longest[field]}x` }
      assert.throws(() => encodeHeader(tooLong), RangeError)
      const encoded = encodeCbor(new Map(Object.entries(tooLong)))
      assert.throws(() => decodeHeader(concatBytes(encoded, new Uint8Array(65_536 - encoded.length))), {
        name: 'SealError',
        reason: 'header_invalid',
      })
    })

  it('is not read with a time of 65 characters', () => {
    const encoded = encodeCbor(
      new Map<string, CborValue>([
        ['size', 1],
        ['modified_at', `2026-03-01T10:20:30.${'0'.repeat(44)}Z`],
      ]),
    )
    assert.throws(() => decodeHeader(encoded), { name: 'SealError', reason: 'header_invalid' })
  })

  it('is not made with a size or a time that a reader would refuse', () => {
    for (const size of [-1, 1.5, 2 ** 53, Number.NaN]) assert.throws(() => encodeHeader({ size }), RangeError)
    assert.throws(() => encodeHeader({ size: 0, modified_at: 'yesterday' }), RangeError)
  })

  it('is refused with SealError for any other bytes', () => {
    const anyHeader = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.tuple(headers, fc.nat(1023), fc.integer({ min: 1, max: 255 })).map(([header, at, mask]) => {
        const encoded = encodeHeader(header)
        encoded[at] = (encoded[at] ?? 0) ^ mask
        return encoded
      }),
    )
    fc.assert(
      fc.property(anyHeader, (bytes) => {
        try {
          assert.ok(Number.isSafeInteger(decodeHeader(bytes).size))
        } catch (error) {
          assert.ok(error instanceof SealError)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
