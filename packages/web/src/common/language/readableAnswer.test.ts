import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formats } from './format.ts'
import { readableAnswer } from './readableAnswer.ts'

describe('an answer as people read it', () => {
  for (const [kind, value, read] of [
    ['date', '2026-11-20', '20.11.2026'],
    ['number', '-1250.50', '-1250,50'],
    ['number', '123456789012345678901.5', '123456789012345678901,5'],
    ['number', '1250', '1250'],
    // The owner has changed the kind of the question.
    ['date', '2026-02-31', '2026-02-31'],
    ['number', 'a.b', 'a.b'],
    ['text', '2026-11-20', '2026-11-20'],
    [undefined, '1250.50', '1250.50'],
  ] as const)
    it(`${kind ?? 'of no known kind'}: ${value} is ${read}`, () => {
      assert.equal(readableAnswer(kind, value, formats.de), read)
    })
})
