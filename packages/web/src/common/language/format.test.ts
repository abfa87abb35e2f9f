import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { formats } from './format.ts'

/** Replaces the kinds of space that the platform puts between a number and its unit. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')

const prefer = (tags: readonly string[]) =>
  Object.defineProperty(navigator, 'languages', { value: tags, configurable: true })
// The machine's own preference must not decide.
before(() => prefer(['en', 'de']))
after(() => Reflect.deleteProperty(navigator, 'languages'))

describe('formatBytes', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [0, '0 bytes', '0 Byte'],
    [1, '1 byte', '1 Byte'],
    [999, '999 bytes', '999 Byte'],
    [1000, '1 kB', '1 kB'],
    [1234, '1.23 kB', '1,23 kB'],
    [12_345, '12.3 kB', '12,3 kB'],
    [123_456, '123 kB', '123 kB'],
    [999_499, '999 kB', '999 kB'],
    [999_999, '1 MB', '1 MB'],
    [1_000_000, '1 MB', '1 MB'],
    [999_999_999, '1 GB', '1 GB'],
    [1e12, '1 TB', '1 TB'],
    [1.5e15, '1,500 TB', '1.500 TB'],
  ]
  for (const [bytes, english, german] of cases)
    it(`writes ${bytes} bytes as ${english}`, () => {
      assert.equal(plain(formats.en.bytes(bytes)), english)
      assert.equal(plain(formats.de.bytes(bytes)), german)
    })

  it('uses at most three digits below a petabyte', () => {
    for (let bytes = 1; bytes < 1e15; bytes = Math.ceil(bytes * 1.37))
      for (const value of [bytes, 10 ** Math.floor(Math.log10(bytes)) - 1]) {
        const digits = formats.en.bytes(Math.max(0, value)).replace(/[^0-9]/g, '')
        assert.ok(digits.length <= 3, formats.en.bytes(value))
      }
  })
})

describe('formatInstant', () => {
  it('writes an instant as the page’s language does', () => {
    assert.match(plain(formats.en.instant('2026-01-02T12:00:00Z')), /^Jan 2, 2026, \d{1,2}:\d\d [AP]M$/)
    assert.match(plain(formats.de.instant('2026-01-02T12:00:00Z')), /^02\.01\.2026, \d\d:\d\d$/)
    assert.equal(formats.en.date('2026-01-02T12:00:00Z'), 'Jan 2, 2026')
    assert.equal(formats.de.date('2026-01-02T12:00:00Z'), '02.01.2026')
  })

  it('follows the reader’s region', () => {
    prefer(['en-GB'])
    assert.equal(formats.en.instant('2026-01-02T12:00:00Z').slice(0, 10), '2 Jan 2026')
    prefer(['de-DE', 'en-US'])
    assert.equal(formats.en.date('2026-01-02T12:00:00Z'), '2 Jan 2026')
    assert.equal(formats.en.number(1234.5), '1.234,5')
    prefer(['en', 'de'])
  })

  it('accepts leap seconds', () => {
    assert.equal(formats.de.instant('2016-12-31T12:00:60Z'), formats.de.instant('2016-12-31T12:00:59Z'))
    assert.equal(formats.en.distance('2016-12-31T12:00:60Z', Date.parse('2016-12-31T12:01:00Z')), '1 second ago')
  })

  it('writes the same moment in the same way for every offset', () => {
    assert.equal(formats.en.instant('2026-01-02T14:00:00+02:00'), formats.en.instant('2026-01-02T12:00:00.000Z'))
  })
})

describe('formatDistance', () => {
  const now = Date.parse('2026-01-10T12:00:00Z')
  it('never puts a past event in the future (formatAge)', () => {
    assert.equal(formats.en.age('2026-01-10T12:05:00Z', now), 'now')
    assert.equal(formats.en.age('2026-01-10T11:55:00Z', now), '5 minutes ago')
  })

  const cases: readonly (readonly [string, string, string])[] = [
    ['2026-01-10T12:00:00Z', 'now', 'jetzt'],
    ['2026-01-10T11:59:15Z', '45 seconds ago', 'vor 45 Sekunden'],
    ['2026-01-10T11:58:01Z', '1 minute ago', 'vor 1 Minute'],
    ['2026-01-10T14:59:59Z', 'in 2 hours', 'in 2 Stunden'],
    ['2026-01-11T12:00:00Z', 'tomorrow', 'morgen'],
    ['2026-01-07T12:00:00Z', '3 days ago', 'vor 3 Tagen'],
    ['2027-01-10T12:00:00Z', 'in 365 days', 'in 365 Tagen'],
  ]
  for (const [instant, english, german] of cases)
    it(`writes ${instant} as ${english}`, () => {
      assert.equal(formats.en.distance(instant, now), english)
      assert.equal(formats.de.distance(instant, now), german)
    })
})

describe('formatDuration', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [0, '1 second', '1 Sekunde'],
    [0.2, '1 second', '1 Sekunde'],
    [59, '59 seconds', '59 Sekunden'],
    [60, '1 minute', '1 Minute'],
    [61, '2 minutes', '2 Minuten'],
    [3600, '1 hour', '1 Stunde'],
    [86_401, '2 days', '2 Tage'],
  ]
  for (const [seconds, english, german] of cases)
    it(`rounds ${seconds} seconds up to ${english}`, () => {
      assert.equal(formats.en.duration(seconds), english)
      assert.equal(formats.de.duration(seconds), german)
    })
})

describe('formatPercent', () => {
  const cases: readonly (readonly [number, number, string, string])[] = [
    [0, 10, '0%', '0 %'],
    [1, 3, '33%', '33 %'],
    [9_999, 10_000, '99%', '99 %'],
    [10, 10, '100%', '100 %'],
    [12, 10, '100%', '100 %'],
    [0, 0, '100%', '100 %'],
  ]
  for (const [part, whole, english, german] of cases)
    it(`rounds ${part} of ${whole} down to ${english}`, () => {
      assert.equal(plain(formats.en.percent(part, whole)), english)
      assert.equal(plain(formats.de.percent(part, whole)), german)
    })
})
