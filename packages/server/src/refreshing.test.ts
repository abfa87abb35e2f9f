import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StoreBroken } from './ports/store.ts'
import { startRefreshing } from './refreshing.ts'
import { createGate } from './testing/faults.ts'

/** A look that does `work` with its number, from 1 on. */
function refreshingOver(work: (look: number) => Promise<void>) {
  const told: string[] = []
  const broken: unknown[] = []
  let looks = 0
  const refresh = () => {
    looks += 1
    return work(looks)
  }
  const tell = (event: string) => void told.push(event)
  const log = { info: tell, warn: tell, error: tell }
  const refreshing = startRefreshing({ refresh, pauseMs: 1, log, onBroken: (error) => void broken.push(error) })
  return { ...refreshing, told, broken, looks: () => looks }
}

describe('looks at what other processes change', () => {
  it('go on after one that failed, which is told, until they are stopped', async () => {
    const third = createGate()
    const { stop, told, broken, looks } = refreshingOver(async (look) => {
      if (look === 1) throw new Error('broken')
      if (look === 3) third.open()
    })
    await third.passed
    await stop()
    assert.deepEqual([told, broken], [['refresh failed'], []])
    const before = looks()
    await new Promise(setImmediate)
    assert.equal(looks(), before)
  })

  it('are made one at a time, and to stop waits for the one under way', async () => {
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

  it('have the process ended when the store is broken', async () => {
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
