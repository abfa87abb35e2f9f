import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { escapedJson, shown, shownLines } from './terminalText.ts'

const HOSTILE = 'a\u001b[31mb\u009b2J\r\u007f\u202Efdp.exe\u2066\u200F'

describe('a text on a terminal', () => {
  it('moves no cursor and turns no direction', () => {
    assert.equal(shown(`${HOSTILE}\nb`), 'a\uFFFD[31mb\uFFFD2J\uFFFD\uFFFD\uFFFDfdp.exe\uFFFD\uFFFD\uFFFDb')
    assert.equal(shownLines(`a\nb${HOSTILE}`), `a\nb${shown(HOSTILE)}`)
  })

  it('is escaped in JSON, and read as it was', () => {
    for (const json of [JSON.stringify({ a: HOSTILE }), JSON.stringify({ a: HOSTILE }, undefined, 2)]) {
      assert.equal(escapedJson(json), shownLines(escapedJson(json)))
      assert.deepEqual(JSON.parse(escapedJson(json)), { a: HOSTILE })
    }
  })
})
