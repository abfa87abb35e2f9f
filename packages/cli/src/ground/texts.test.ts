import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { jsonLine, timeText } from './texts.ts'

describe('an object as a line', () => {
  it('has nothing that a terminal obeys, and everything that a program reads', () => {
    const fact = {
      claimed_sender: 'a\u001B[31m\u009B31m\u009D0;b\u0007\u202Etxt\u2066\u2028\u007F',
      claimed_note: '漢 😀\n',
    }
    const line = jsonLine(fact)
    assert.doesNotMatch(line, /[\p{Cc}\p{Bidi_Control}\u2028]/u)
    assert.match(line, /\\u009b31m/)
    assert.deepEqual(JSON.parse(line), fact)
  })
})

describe('a time of an answer', () => {
  it('is written to the minute, whatever form of RFC 3339 it has', () => {
    assert.equal(timeText('2016-12-31T23:59:60Z'), timeText('2016-12-31T23:59:59.000Z'))
    assert.equal(timeText('2016-12-31t23:59:59.123456789+00:00'), timeText('2016-12-31T23:59:59Z'))
    assert.match(timeText('0005-06-07T12:00:00Z'), /^0005-06-0/)
  })
})
