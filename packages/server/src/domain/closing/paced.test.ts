import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createHandClock } from '../../testing/handClock.ts'
import { LEAST_PAUSE_MS, MOST_PAUSE_MS, PAUSE_FACTOR, paced } from './paced.ts'

describe('a paced reading', () => {
  it('is one at a time, is given again for a minute, and for longer the longer it took', async () => {
    const clock = createHandClock()
    const running: ((value: number) => void)[] = []
    const ask = paced(() => new Promise<number>((resolve) => running.push(resolve)), clock)
    const both = [ask(), ask()]
    running[0]?.(1)
    assert.deepEqual(await Promise.all(both), [1, 1])
    clock.advance(LEAST_PAUSE_MS / 1000 - 1)
    assert.equal(await ask(), 1)
    clock.advance(1)
    const second = ask()
    clock.advance(10)
    running[1]?.(2)
    assert.equal(await second, 2)
    clock.advance(10 * PAUSE_FACTOR - 1)
    assert.equal(await ask(), 2)
    clock.advance(1)
    const third = ask()
    running[2]?.(3)
    assert.equal(await third, 3)
  })

  it('is given again for no longer than a bound, as a clock may be set forward while it runs', async () => {
    const clock = createHandClock()
    let reads = 0
    const ask = paced(async () => {
      reads += 1
      if (reads === 1) clock.advance(86_400)
      return reads
    }, clock)
    assert.equal(await ask(), 1)
    clock.advance(MOST_PAUSE_MS / 1000 - 1)
    assert.equal(await ask(), 1)
    clock.advance(1)
    assert.equal(await ask(), 2)
  })

  it('that failed is not given again, nor one of a clock that was set back', async () => {
    const clock = createHandClock()
    let reads = 0
    const ask = paced(async () => {
      reads += 1
      if (reads === 1) throw new Error('away')
      return reads
    }, clock)
    await assert.rejects(ask(), { message: 'away' })
    assert.equal(await ask(), 2)
    clock.advance(-3600)
    assert.equal(await ask(), 3)
  })
})
