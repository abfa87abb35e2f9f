import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { oneAtATime } from './oneAtATime.ts'

describe('work that runs one at a time', () => {
  it('runs once more for all calls during a run', async () => {
    const ends: (() => void)[] = []
    const run = oneAtATime(() => new Promise((resolve) => ends.push(resolve)))
    const first = run()
    await Promise.all([run(), run(), run()])
    assert.equal(ends.length, 1)
    ends[0]?.()
    await new Promise(setImmediate)
    assert.equal(ends.length, 2)
    ends[1]?.()
    await first
    assert.equal(ends.length, 2)
  })

  it('runs again after a failure', async () => {
    let runs = 0
    const run = oneAtATime(async () => {
      runs++
      if (runs === 1) throw new Error('broken')
    })
    await assert.rejects(run(), /broken/)
    await run()
    assert.equal(runs, 2)
  })
})
