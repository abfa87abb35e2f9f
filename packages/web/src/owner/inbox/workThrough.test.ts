import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { workThrough } from './workThrough.ts'

const never = new AbortController().signal

describe('working through many items', () => {
  it('does all of them, never more at once than allowed', async () => {
    let running = 0
    let maxRunning = 0
    const steps: number[] = []
    const { done, failures } = await workThrough({
      items: [1, 2, 3, 4, 5],
      maxAtOnce: 2,
      signal: never,
      onStep: (finished) => steps.push(finished),
      async each() {
        maxRunning = Math.max(maxRunning, ++running)
        await new Promise(setImmediate)
        running--
      },
    })
    assert.deepEqual([...done].sort(), [1, 2, 3, 4, 5])
    assert.deepEqual([maxRunning, failures.length, steps], [2, 0, [1, 2, 3, 4, 5]])
  })

  it('continues after a failure, and reports it', async () => {
    const broken = new Error('broken')
    const { done, failures } = await workThrough({
      items: [1, 2, 3],
      maxAtOnce: 1,
      signal: never,
      onStep: () => undefined,
      each: async (item) => {
        if (item === 2) throw broken
      },
    })
    assert.deepEqual({ done, failures }, { done: [1, 3], failures: [{ item: 2, error: broken }] })
  })

  it('starts nothing after a stop, and counts an interrupted item as stopped', async () => {
    const stop = new AbortController()
    const { done, failures, stopped } = await workThrough({
      items: [1, 2, 3],
      maxAtOnce: 1,
      signal: stop.signal,
      onStep: () => undefined,
      async each(item, signal) {
        if (item === 2) stop.abort()
        signal.throwIfAborted()
      },
    })
    assert.deepEqual({ done, failures, stopped }, { done: [1], failures: [], stopped: [2, 3] })
  })
})
