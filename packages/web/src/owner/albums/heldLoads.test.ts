import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createHeldLoads, type Outcome } from './heldLoads.ts'

/** Loads that end when the test says so. */
function createWorld({ atOnce = 2, keptMost = 2 } = {}) {
  const started: string[] = []
  const dropped: string[] = []
  const aborted: string[] = []
  const endings = new Map<string, PromiseWithResolvers<string>>()
  const loads = createHeldLoads<string>({ atOnce, keptMost, drop: (value) => dropped.push(value) })
  const outcomes: Outcome<string>[] = []
  const hold = (key: string) =>
    loads.hold(
      key,
      (signal) => {
        started.push(key)
        const ending = Promise.withResolvers<string>()
        endings.set(key, ending)
        signal.addEventListener('abort', () => {
          aborted.push(key)
          ending.reject(signal.reason)
        })
        return ending.promise
      },
      (outcome) => outcomes.push(outcome),
    )
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const end = async (key: string, error?: Error) => {
    if (error === undefined) endings.get(key)?.resolve(key)
    else endings.get(key)?.reject(error)
    await settled()
  }
  return { started, dropped, aborted, outcomes, hold, end, settled }
}

describe('what tiles hold', () => {
  it('is loaded so many at once, in their order', async () => {
    const { started, hold, end } = createWorld()
    for (const key of ['a', 'b', 'c', 'd']) hold(key)
    assert.deepEqual(started, ['a', 'b'])
    await end('a')
    assert.deepEqual(started, ['a', 'b', 'c'])
  })

  it('is loaded once for everybody who holds it, and is there at once for who comes later', async () => {
    const { started, outcomes, hold, end } = createWorld()
    hold('a')
    hold('a')
    await end('a')
    hold('a')
    assert.deepEqual(started, ['a'])
    assert.deepEqual(outcomes, [{ value: 'a' }, { value: 'a' }, { value: 'a' }])
  })

  it('is not begun, or is aborted, when nobody waits for it any more', async () => {
    const { started, aborted, hold, end, settled } = createWorld({ atOnce: 1 })
    const releaseFirst = hold('a')
    const releaseSecond = hold('b')
    hold('c')
    releaseSecond()
    releaseFirst()
    await settled()
    assert.deepEqual({ started, aborted }, { started: ['a', 'c'], aborted: ['a'] })
    await end('c')
  })

  it('goes on while one of two still waits', async () => {
    const { aborted, outcomes, hold, end } = createWorld()
    const release = hold('a')
    hold('a')
    release()
    await end('a')
    assert.deepEqual({ aborted, outcomes }, { aborted: [], outcomes: [{ value: 'a' }] })
  })

  it('stays when it is let go of, until others have taken its room; what is held never goes', async () => {
    const { dropped, hold, end } = createWorld({ atOnce: 9 })
    const releases = new Map(['a', 'b', 'c', 'd'].map((key) => [key, hold(key)]))
    for (const key of releases.keys()) await end(key)
    for (const key of ['b', 'a', 'c']) releases.get(key)?.()
    assert.deepEqual(dropped, ['b'])
  })

  it('is asked for anew after it has failed', async () => {
    const { started, outcomes, hold, end } = createWorld()
    const error = new Error('line')
    const release = hold('a')
    await end('a', error)
    release()
    hold('a')
    await end('a')
    assert.deepEqual(started, ['a', 'a'])
    assert.deepEqual(outcomes, [{ error }, { value: 'a' }])
  })

  it('is dropped when it comes although it was aborted', async () => {
    const dropped: string[] = []
    const loads = createHeldLoads<string>({ atOnce: 1, keptMost: 1, drop: (value) => dropped.push(value) })
    loads.hold(
      'a',
      async () => 'late',
      () => assert.fail('nobody waits'),
    )()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(dropped, ['late'])
  })
})
