import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StoreBroken } from '../ports/store.ts'
import { createGate } from '../testing/faults.ts'
import { startRefreshing } from './refreshing.ts'

/** Refreshes that run `work` with their number, starting at 1. */
function refreshingOver(work: (look: number) => Promise<void>) {
  const logged: string[] = []
  const broken: unknown[] = []
  let looks = 0
  const refresh = () => {
    looks += 1
    return work(looks)
  }
  const tell = (event: string) => void logged.push(event)
  const log = { info: tell, warn: tell, error: tell }
  const refreshing = startRefreshing({ refresh, pauseMs: 1, log, onBroken: (error) => void broken.push(error) })
  return { ...refreshing, logged, broken, looks: () => looks }
}

describe('refreshing what other processes change', () => {
  it('logs a failure and continues, until it is stopped', async () => {
    const third = createGate()
    const { stop, logged, broken, looks } = refreshingOver(async (look) => {
      if (look === 1) throw new Error('broken')
      if (look === 3) third.open()
    })
    await third.passed
    await stop()
    assert.deepEqual([logged, broken], [['refresh failed'], []])
    const before = looks()
    await new Promise(setImmediate)
    assert.equal(looks(), before)
  })

  it('runs one refresh at a time, and stopping waits for it', async () => {
    const [begun, gate] = [createGate(), createGate()]
    let hasEnded = false
    const { stop, looks } = refreshingOver(async () => {
      begun.open()
      await gate.passed
      hasEnded = true
    })
    await begun.passed
    const later = createGate()
    const other = refreshingOver(async (look) => void (look === 3 && later.open()))
    await later.passed
    await other.stop()
    const stopped = stop()
    gate.open()
    await stopped
    assert.deepEqual([looks(), hasEnded], [1, true])
  })

  it('ends the process when the store is broken', async () => {
    const first = createGate()
    const { stop, broken } = refreshingOver(async () => {
      first.open()
      throw new StoreBroken('broken')
    })
    await first.passed
    await stop()
    assert.ok(broken.length >= 1)
  })
})
