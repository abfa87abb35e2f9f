import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { rangeOf } from './range.ts'

describe('a Range header', () => {
  it('asks for a part, with both ends included', () => {
    const cases = [
      ['bytes=0-0', { start: 0, end: 1 }],
      ['bytes=0-99', { start: 0, end: 100 }],
      ['bytes=99-', { start: 99, end: 100 }],
      ['bytes=10-19', { start: 10, end: 20 }],
      ['bytes=10-1000', { start: 10, end: 100 }],
      ['bytes=-1', { start: 99, end: 100 }],
      ['bytes=-1000', { start: 0, end: 100 }],
      [' BYTES=5-6 ', { start: 5, end: 7 }],
      [`bytes=0-${'9'.repeat(400)}`, { start: 0, end: 100 }],
    ] as const
    for (const [header, range] of cases) assert.deepEqual(rangeOf(header, 100), range, header)
  })

  it('is unsatisfiable when it is outside the content', () => {
    for (const header of ['bytes=100-', 'bytes=100-200', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])
      assert.equal(rangeOf(header, 100), 'unsatisfiable', header)
  })

  it('is ignored when it has several ranges, another unit, a reverse order or no valid form', () => {
    const headers = [
      undefined,
      '',
      'bytes=0-1,5-6',
      'items=0-1',
      'bytes=5-4',
      'bytes=',
      'bytes=-',
      'bytes=a-b',
      'bytes=1-2-3',
      'bytes 0-1',
      'bytes=+1-2',
      'bytes=0x1-2',
    ]
    for (const header of headers) assert.equal(rangeOf(header, 100), 'whole', header)
  })

  it('never gives bytes outside the content', () => {
    const number = fc.option(fc.nat(300), { nil: '' as const })
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 200 }), (first, last, size) => {
        const range = rangeOf(`bytes=${first}-${last}`, size)
        if (typeof range === 'string') return true
        return 0 <= range.start && range.start < range.end && range.end <= size
      }),
    )
  })
})
