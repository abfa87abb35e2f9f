import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fromHex, toHex } from './bytes.ts'
import { CborError, type CborValue, decodeCbor, encodeCbor, tagged } from './cbor.ts'

describe('deterministic CBOR', () => {
  it('orders keys by their encoded bytes (RFC 8949, section 4.2.1)', () => {
    // The example of that section: 10, 100, -1, "z", "aa".
    const map = new Map<string | number, CborValue>([
      ['aa', 4],
      ['z', 3],
      [-1, 2],
      [100, 1],
      [10, 0],
    ])
    assert.equal(toHex(encodeCbor(map)), 'a50a00186401' + '2002' + '617a03' + '62616104')
  })

  it('survives a round trip', () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array({ maxLength: 40 }),
    )
    const map = fc.array(fc.tuple(fc.oneof(fc.string(), fc.integer()), scalar)).map((entries) => new Map(entries))
    fc.assert(
      fc.property(map, (value) => {
        const decoded = decodeCbor(encodeCbor(value))
        assert.ok(decoded instanceof Map)
        assert.deepEqual(new Set(decoded), new Set(value))
      }),
    )
  })

  const refused = {
    'an integer in more bytes than it needs': '1801',
    'a length in more bytes than it needs': '5801ff',
    'keys out of order': 'a2626161016161' + '02',
    'a key twice': 'a2616101616101',
    'two keys that are lists': 'a28001810002',
    'two keys that are maps': 'a2a001a1000002',
    'an indefinite array': '9f01ff',
    'an indefinite map': 'bf616101ff',
    'an indefinite byte string': '5f4101ff',
    undefined: 'f7',
    NaN: 'f97e00',
    infinity: 'f97c00',
    'an integer as a float': 'f93c00',
    'a float in more bytes than it needs': 'fb3ff8000000000000',
    'an integer above 2^53-1': '1b0020000000000000',
    'an integer below -(2^53-1)': '3b001fffffffffffff',
    'text that is not UTF-8': '62c328',
    'an unknown simple value': 'f8ff',
    'a tag': 'c100',
    'two values': '0000',
    'empty input': '',
    'a truncated value': '4401',
  }
  for (const [what, hex] of Object.entries(refused)) {
    it(`refuses ${what}`, () => assert.throws(() => decodeCbor(fromHex(hex)), CborError))
  }

  it('reads only the allowed tag', () => {
    const bytes = encodeCbor(tagged(98, 1))
    assert.equal(toHex(bytes), 'd86201')
    assert.deepEqual(decodeCbor(bytes, 98), tagged(98, 1))
    assert.throws(() => decodeCbor(bytes, 97), CborError)
    assert.throws(() => decodeCbor(bytes), CborError)
  })

  it('throws only CborError for what it cannot read', () => {
    // Most random bytes are refused at once; those that begin a map or a list are parsed further.
    const bytes = fc.tuple(
      fc.constantFrom(0x82, 0xa1, 0xa2, 0xa3),
      fc.array(fc.constantFrom(0x00, 0x01, 0x40, 0x60, 0x61, 0x62, 0x80, 0x81, 0xa0, 0xa1, 0xd8, 0xf6), {
        maxLength: 12,
      }),
    )
    fc.assert(
      fc.property(bytes, ([first, rest]) => {
        try {
          decodeCbor(Uint8Array.of(first, ...rest))
        } catch (error) {
          assert.ok(error instanceof CborError, String(error))
        }
      }),
      { numRuns: 5000 },
    )
  })

  it('refuses nesting that would exhaust the stack', () => {
    assert.throws(() => decodeCbor(new Uint8Array(1_000_000).fill(0x81)), CborError)
  })
})
