import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expiry, name, sizeLimit, totalLimit } from './options.ts'

describe('the values of options', () => {
  it('turn durations and times of any zone into times of UTC', () => {
    const [before, at, after] = [Date.now(), Date.parse(expiry('7d')), Date.now()]
    assert.ok(at >= before + 7 * 86_400_000 && at <= after + 7 * 86_400_000)
    assert.equal(expiry('9000-12-31T19:00:00+01:00'), '9000-12-31T18:00:00.000Z')
  })

  it('are refused if they mean no time to come', () => {
    for (const text of ['', '7', '0d', 'tomorrow', '2030-12-31', '999999w'])
      assert.throws(() => expiry(text), /A time is/)
    assert.throws(() => expiry('2020-01-01T00:00:00Z'), /has passed/)
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
