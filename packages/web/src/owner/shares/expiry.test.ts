import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expiryInstant, hasEnded } from './expiry.ts'

const now = Date.parse('2026-02-27T10:00:00.000Z')

describe('the expiry of a share', () => {
  it('is the chosen number of days from now, or never', () => {
    assert.deepEqual(
      (['day', 'week', 'month', 'never'] as const).map((expiry) => expiryInstant(expiry, now)),
      ['2026-02-28T10:00:00.000Z', '2026-03-06T10:00:00.000Z', '2026-03-29T10:00:00.000Z', undefined],
    )
  })

  it('is reached at exactly that instant', () => {
    assert.ok(hasEnded('2026-02-27T10:00:00.000Z', now))
    assert.ok(!hasEnded('2026-02-27T10:00:00.001Z', now))
    assert.ok(!hasEnded(undefined, now))
  })
})
