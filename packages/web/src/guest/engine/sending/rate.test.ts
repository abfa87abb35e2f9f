import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Rate, rateAfter, secondsLeft, startRate } from './rate.ts'

/** One measurement a second. */
function after(rate: Rate, ...bytes: readonly number[]): Rate {
  return bytes.reduce((now, more) => rateAfter(now, now.atMs + 1000, now.sentBytes + more), rate)
}

describe('the estimate of the time left', () => {
  it('is undefined at the start and while nothing is sent', () => {
    assert.equal(secondsLeft(after(startRate(0), 1000), 1000), undefined)
    assert.equal(secondsLeft(after(startRate(0), 0, 0, 0, 0), 1000), undefined)
  })

  it('is right for a steady speed', () => {
    const left = secondsLeft(after(startRate(0), 1000, 1000, 1000, 1000), 30_000)
    assert.ok(left !== undefined && Math.abs(left - 30) < 0.001)
  })

  it('changes slowly when the speed jumps, and follows it in the end', () => {
    const steady = after(startRate(0), ...Array.from({ length: 20 }, () => 1000))
    const [soon, late] = [after(steady, 4000), after(steady, ...Array.from({ length: 60 }, () => 4000))]
    assert.ok(soon.bytesPerMs < 1.5, String(soon.bytesPerMs))
    assert.ok(late.bytesPerMs > 3.9, String(late.bytesPerMs))
  })

  it('stays positive when a chunk is lost and its bytes are subtracted', () => {
    assert.ok(after(startRate(0), 1000, 1000, 1000, -2000).bytesPerMs > 0)
  })
})
