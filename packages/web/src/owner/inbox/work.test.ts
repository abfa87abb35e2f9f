import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { workThrough } from './work.ts'

const never = new AbortController().signal

describe('one thing done to many', () => {
  it('does all of them, some at once and never more', async () => {
    let running = 0
    let most = 0
    const steps: number[] = []
    const { done, failures } = await workThrough({
      items: [1, 2, 3, 4, 5],
      atOnce: 2,
      signal: never,
      onStep: (over) => steps.push(over),
      async each() {
        most = Math.max(most, ++running)
        await new Promise(setImmediate)
        running--
      },
    })
    assert.deepEqual([...done].sort(), [1, 2, 3, 4, 5])
    assert.deepEqual([most, failures.length, steps], [2, 0, [1, 2, 3, 4, 5]])
  })

  it('goes on past a failure, and tells it', async () => {
    const broken = new Error('broken')
    const { done, failures } = await workThrough({
      items: [1, 2, 3],
      atOnce: 1,
      signal: never,
      onStep: () => undefined,
      each: async (item) => {
        if (item === 2) throw broken
      },
    })
    assert.deepEqual({ done, failures }, { done: [1, 3], failures: [{ item: 2, error: broken }] })
  })

  it('begins nothing once it is stopped, and counts what was cut short as left', async () => {
    const stop = new AbortController()
    const { done, failures, left } = await workThrough({
      items: [1, 2, 3],
      atOnce: 1,
      signal: stop.signal,
      onStep: () => undefined,
      async each(item, signal) {
        if (item === 2) stop.abort()
        signal.throwIfAborted()
      },
    })
    assert.deepEqual({ done, failures, left }, { done: [1], failures: [], left: [2, 3] })
  })
})
