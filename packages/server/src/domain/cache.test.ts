import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGate } from '../testing/faults.ts'
import { createHandClock } from '../testing/handClock.ts'
import { cacheFor } from './cache.ts'

describe('a cache with a time to live', () => {
  it('reads again when the time is over, and when the clock was set back by as much', async () => {
    const clock = createHandClock()
    let readings = 0
    const ask = cacheFor(clock, 1000, async () => {
      readings += 1
      return readings
    })
    const given = []
    for (const seconds of [0, 0.999, 0.001, 0.5, -1.5, -0.999]) {
      clock.advance(seconds)
      given.push(await ask())
    }
    assert.deepEqual(given, [1, 1, 2, 2, 3, 3])
  })

  it('reads once for concurrent calls', async () => {
    const gate = createGate()
    let readings = 0
    const ask = cacheFor(createHandClock(), 1000, async () => {
      readings += 1
      await gate.passed
      return readings
    })
    const asked = Promise.all([ask(), ask(), ask()])
    gate.open()
    assert.deepEqual([await asked, readings], [[1, 1, 1], 1])
  })

  it('rejects the calls that waited for a failed read, and reads again for the next call', async () => {
    let readings = 0
    const ask = cacheFor(createHandClock(), 1000, async () => {
      readings += 1
      if (readings === 1) throw new Error('a test broke it')
      return readings
    })
    const answers = await Promise.allSettled([ask(), ask()])
    assert.deepEqual([answers.map(({ status }) => status), await ask()], [['rejected', 'rejected'], 2])
  })
})
