import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRefresher } from './refresher.ts'

/** Runs that end when the test ends them. */
function createRuns() {
  const ends: (() => void)[] = []
  const run = () => new Promise<void>((resolve) => ends.push(resolve))
  return { run, ends, settled: () => new Promise(setImmediate) }
}
const atOnce = async () => undefined

describe('a refresher', () => {
  it('finishes the current run, and runs once more for all calls during it', async () => {
    const { run, ends, settled } = createRuns()
    const refresher = createRefresher(run, atOnce)
    refresher.ask()
    refresher.ask()
    refresher.ask()
    assert.equal(ends.length, 1)
    ends[0]?.()
    await settled()
    assert.equal(ends.length, 2)
    ends[1]?.()
    await settled()
    assert.equal(ends.length, 2)
    refresher.ask()
    assert.equal(ends.length, 3)
  })

  it('begins no run after stop()', async () => {
    const { run, ends, settled } = createRuns()
    const refresher = createRefresher(run, atOnce)
    refresher.ask()
    refresher.ask()
    refresher.stop()
    ends[0]?.()
    await settled()
    refresher.ask()
    await settled()
    assert.equal(ends.length, 1)
  })

  it('pauses between two runs', async () => {
    const { run, ends, settled } = createRuns()
    let wake: () => void = () => undefined
    const refresher = createRefresher(run, () => new Promise((resolve) => (wake = resolve)))
    refresher.ask()
    ends[0]?.()
    await settled()
    refresher.ask()
    await settled()
    assert.equal(ends.length, 1)
    wake()
    await settled()
    assert.equal(ends.length, 2)
  })
})
