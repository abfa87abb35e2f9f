import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expiry, name, pastTime, sizeLimit, totalLimit } from './options.ts'

describe('the values of options', () => {
  it('are durations, or times of any zone in UTC', () => {
    assert.deepEqual(expiry('7d'), { seconds: 7 * 86_400 })
    assert.deepEqual(expiry('9000-12-31T19:00:00+01:00'), { at: '9000-12-31T18:00:00.000Z' })
  })

  it('are refused if they are no time', () => {
    for (const text of ['', '7', '0d', 'tomorrow', '2030-12-31', '999999w'])
      assert.throws(() => expiry(text), /A time is/)
  })

  it('are days that the calendar has', () => {
    assert.equal(pastTime('2024-02-29'), new Date(2024, 1, 29).getTime())
    for (const text of ['2026-02-29', '2026-13-01', '2026-00-10', '2026-01-00'])
      assert.throws(() => pastTime(text), /A time is/, text)
  })

  it('are refused if they limit to nothing', () => {
    assert.equal(sizeLimit('2GiB'), 2 * 1024 ** 3)
    assert.equal(totalLimit('unlimited'), 'unlimited')
    for (const text of ['0', '2PB', '-1', 'unlimited']) assert.throws(() => sizeLimit(text))
  })

  it('are refused if they are no name', () => {
    assert.equal(name('Türen '), 'Türen ')
    for (const text of ['', '  ', 'x'.repeat(201)]) assert.throws(() => name(text), /1 to 200/)
  })
})
