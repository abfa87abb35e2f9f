import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRandom } from '../../harness/random.ts'
import { medianOf, welch } from './welch.ts'

/** Times with a long tail, as on a real machine. */
function sample(name: string, shift: number): readonly number[] {
  const random = createRandom(name)
  return Array.from(
    { length: 2000 },
    () => shift + 1 + random.fraction() + (random.chance(0.02) ? 50 * random.fraction() : 0),
  )
}

describe('Welch’s t', () => {
  it('is small for two samples of one distribution, and large for a shift of a fraction of their spread', () => {
    const same = welch(sample('a', 0), sample('b', 0))
    assert.ok(Math.abs(same.t) < 4.5 && Math.abs(same.tCropped) < 4.5, JSON.stringify(same))
    const slower = welch(sample('a', 0.1), sample('b', 0))
    assert.ok(slower.tCropped > 4.5, JSON.stringify(slower))
    assert.equal(welch(sample('b', 0), sample('a', 0.1)).tCropped, -slower.tCropped)
  })

  it('agrees with a calculation by hand', () => {
    const { t } = welch([1, 2, 3], [2, 4, 6, 8])
    assert.equal(t.toFixed(6), ((2 - 5) / Math.sqrt(1 / 3 + 20 / 3 / 4)).toFixed(6))
    assert.equal(medianOf([5, 1, 9]), 5)
  })
})
