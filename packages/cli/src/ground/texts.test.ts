import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { jsonLine } from './texts.ts'

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
