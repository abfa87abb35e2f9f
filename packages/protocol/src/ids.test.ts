import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  addSeconds,
  formatInstant,
  instantOf,
  millisecondsOf,
  parseDropId,
  parseInstant,
  parseOpaqueId,
  parseProtocolVersion,
  parseSha256Hex,
} from './ids.ts'

const at = (text: string) => {
  const instant = parseInstant(text)
  return instant === undefined ? undefined : formatInstant(instant)
}

describe('an instant', () => {
  it('survives a round trip through its form in answers', () => {
    const milliseconds = fc.integer({
      min: Date.parse('0000-01-01T00:00:00Z'),
      max: Date.parse('9999-12-31T23:59:59.999Z'),
    })
    fc.assert(fc.property(milliseconds, (ms) => parseInstant(formatInstant(instantOf(ms))) === ms))
  })

  it('is read in any RFC 3339 form: offsets, fractions, lowercase letters', () => {
    const forms = [
      ['2026-06-01T12:00:00Z', '2026-06-01T12:00:00.000Z'],
      ['2026-06-01t12:00:00z', '2026-06-01T12:00:00.000Z'],
      ['2026-06-01T12:00:00.5Z', '2026-06-01T12:00:00.500Z'],
      ['2026-06-01T12:00:00.123999999Z', '2026-06-01T12:00:00.123Z'],
      ['2026-06-01T12:00:00+05:30', '2026-06-01T06:30:00.000Z'],
      ['2026-06-01T00:00:00+23:59', '2026-05-31T00:01:00.000Z'],
      ['2026-12-31T23:59:59-00:01', '2027-01-01T00:00:59.000Z'],
      ['2026-06-01T12:00:00-00:00', '2026-06-01T12:00:00.000Z'],
      ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
      ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ] as const
    for (const [text, read] of forms) assert.equal(at(text), read, text)
  })

  it('reads any offset as the same moment', () => {
    const minutes = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), minutes, (ms, offset) => {
        const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1)
        const [hours, rest] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
        const zone = `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
        return parseInstant(local + zone) === ms
      }),
    )
  })

  it('reads a leap second as the second before it', () => {
    assert.equal(at('2016-12-31T23:59:60Z'), '2016-12-31T23:59:59.000Z')
    assert.equal(at('2016-12-31T15:59:60.5-08:00'), '2016-12-31T23:59:59.500Z')
    assert.equal(at('2016-12-31T23:59:61Z'), undefined)
  })

  it('is a number of milliseconds, which is NaN for anything else', () => {
    assert.equal(millisecondsOf('2016-12-31T23:59:60Z'), Date.UTC(2016, 11, 31, 23, 59, 59))
    assert.equal(millisecondsOf('2026-01-02T00:00:00+00:00'), Date.UTC(2026, 0, 2))
    // Each is an instant for `Date.parse`.
    for (const text of ['2026-01-01T24:00:00Z', '+010000-01-01T00:00:00Z', '2026-01-02', '2026-01-02T00:00:00'])
      assert.equal(millisecondsOf(text), Number.NaN, text)
  })

  it('is undefined for anything else, and outside the years that UTC can write', () => {
    const texts = [
      '',
      '2026-06-01',
      '2026-06-01T12:00:00',
      '2026-06-01 12:00:00Z',
      '2026-06-01T12:00Z',
      '2026-06-01T24:00:00Z',
      '2026-06-01T12:60:00Z',
      '2026-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-01T00:00:00Z',
      '2026-06-31T00:00:00Z',
      '2026-06-01T12:00:00+0530',
      '2026-06-01T12:00:00+05',
      '2026-06-01T12:00:00+24:00',
      '2026-06-01T12:00:00+05:60',
      '2026-06-01T12:00:00.Z',
      '2026-06-01T12:00:00,5Z',
      '2026-06-01T12:00:00Z[Europe/Berlin]',
      ' 2026-06-01T12:00:00Z',
      '2026-06-01T12:00:00Z\n',
      '+002026-06-01T12:00:00Z',
      '２026-06-01T12:00:00Z',
      '0000-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
    ]
    for (const text of texts) assert.equal(at(text), undefined, JSON.stringify(text))
  })

  it('never throws for any text', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof parseInstant(text) !== 'bigint'))
  })

  it('moves by seconds', () => {
    assert.equal(addSeconds(instantOf(5), -0.001), 4)
  })
})

describe('an id', () => {
  const uuid = '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f'

  it('is read only in its canonical form', () => {
    assert.equal(parseDropId(uuid), uuid)
    assert.equal(parseOpaqueId('0f'.repeat(16)), '0f'.repeat(16))
    assert.equal(parseSha256Hex('0f'.repeat(32)), '0f'.repeat(32))
    for (const text of [
      '',
      uuid.toUpperCase(),
      `{${uuid}}`,
      uuid.replaceAll('-', ''),
      `${uuid}\n`,
      ` ${uuid}`,
      `${uuid}/..`,
      `urn:uuid:${uuid}`,
      uuid.replace('0', 'g'),
    ])
      assert.equal(parseDropId(text), undefined, text)
    for (const text of [
      '',
      '0F'.repeat(16),
      '0f'.repeat(15),
      '0f'.repeat(17),
      `${'0f'.repeat(16)}\n`,
      `${'0f'.repeat(15)}0\0`,
      '../'.repeat(10),
    ])
      assert.equal(parseOpaqueId(text), undefined, text)
  })
})

describe('a protocol version', () => {
  it('is a date that exists', () => {
    for (const text of ['2026-01-01', '2028-02-29', '0001-01-01']) assert.equal(parseProtocolVersion(text), text)
    for (const text of [
      '',
      '2026-1-1',
      '2026-02-29',
      '2026-13-01',
      '2026-01-32',
      '20260101',
      '2026-01-01T00:00:00Z',
      '2026-01-01\n',
    ])
      assert.equal(parseProtocolVersion(text), undefined, text)
  })

  it('orders as text', () => {
    const day = fc.date({
      min: new Date('1000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(day, day, (a, b) => {
        const [first, second] = [a, b].map((date) => date.toISOString().slice(0, 10))
        return String(first) < String(second) === Date.parse(String(first)) < Date.parse(String(second))
      }),
    )
  })
})
