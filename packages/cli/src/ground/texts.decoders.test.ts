import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyText, changedTexts, runs } from '../../../../testing/decoding.ts'
import { parseDuration } from './texts.ts'

describe('parseDuration', () => {
  it('returns whole seconds from 1 on, or undefined', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, changedTexts('90m', '12 h', '7d', '999999w')), (text) => {
        const seconds = parseDuration(text)
        assert.ok(seconds === undefined || (Number.isSafeInteger(seconds) && seconds >= 1))
      }),
      runs(300),
    )
  })
})
