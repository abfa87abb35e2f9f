import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { medianOf, welch } from './r11/welch.ts'
import { createRandom } from './random.ts'

/** Times with a long tail, as a machine gives them. */
function lot(name: string, shift: number): readonly number[] {
  const random = createRandom(name)
  return Array.from(
    { length: 2000 },
    () => shift + 1 + random.fraction() + (random.chance(0.02) ? 50 * random.fraction() : 0),
  )
}

describe('Welch’s t', () => {
  it('is small for two lots of one kind, and tells a difference that is a fraction of their spread', () => {
    const same = welch(lot('a', 0), lot('b', 0))
    assert.ok(Math.abs(same.t) < 4.5 && Math.abs(same.tCropped) < 4.5, JSON.stringify(same))
    const slower = welch(lot('a', 0.1), lot('b', 0))
    assert.ok(slower.tCropped > 4.5, JSON.stringify(slower))
    assert.equal(welch(lot('b', 0), lot('a', 0.1)).tCropped, -slower.tCropped)
  })

  it('agrees with what is worked out by hand', () => {
    const { t } = welch([1, 2, 3], [2, 4, 6, 8])
    assert.equal(t.toFixed(6), ((2 - 5) / Math.sqrt(1 / 3 + 20 / 3 / 4)).toFixed(6))
    assert.equal(medianOf([5, 1, 9]), 5)
  })
})
