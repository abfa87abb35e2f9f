import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSharedLoads, type Outcome } from './sharedLoads.ts'

/** Loads end when the test says so. */
function createWorld({ maxAtOnce = 2, maxUnused = 2 } = {}) {
  const started: string[] = []
  const disposed: string[] = []
  const aborted: string[] = []
  const endings = new Map<string, PromiseWithResolvers<string>>()
  const clock = { nowMs: 0 }
  const loads = createSharedLoads<string>({
    maxAtOnce,
    maxUnused,
    maxAgeMs: 1000,
    dispose: (value) => disposed.push(value),
    now: () => clock.nowMs,
  })
  const outcomes: Outcome<string>[] = []
  const use = (key: string) =>
    loads.use(
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
  return { started, disposed, aborted, outcomes, use, end, settled, clock, forgetUnused: loads.forgetUnused }
}

describe('shared loads', () => {
  it('run a limited number at once, in their order', async () => {
    const { started, use, end } = createWorld()
    for (const key of ['a', 'b', 'c', 'd']) use(key)
    assert.deepEqual(started, ['a', 'b'])
    await end('a')
    assert.deepEqual(started, ['a', 'b', 'c'])
  })

  it('load a value once for all users, and give it at once to a later user', async () => {
    const { started, outcomes, use, end } = createWorld()
    use('a')
    use('a')
    await end('a')
    use('a')
    assert.deepEqual(started, ['a'])
    assert.deepEqual(outcomes, [{ value: 'a' }, { value: 'a' }, { value: 'a' }])
  })

  it('load an old value again, unless it is in use', async () => {
    const { started, disposed, use, end, clock } = createWorld()
    const release = use('a')
    await end('a')
    clock.nowMs = 1001
    use('a')()
    assert.deepEqual([started, disposed], [['a'], []])
    release()
    use('a')
    assert.deepEqual([started, disposed], [['a', 'a'], ['a']])
  })

  it('forget what is not in use', async () => {
    const { started, disposed, use, end, forgetUnused } = createWorld()
    use('a')
    const release = use('b')
    await end('a')
    await end('b')
    release()
    forgetUnused()
    use('a')
    use('b')
    assert.deepEqual([started, disposed], [['a', 'b', 'b'], ['b']])
  })

  it('do not start, or abort, a load without users', async () => {
    const { started, aborted, use, end, settled } = createWorld({ maxAtOnce: 1 })
    const releaseFirst = use('a')
    const releaseSecond = use('b')
    use('c')
    releaseSecond()
    releaseFirst()
    await settled()
    assert.deepEqual({ started, aborted }, { started: ['a', 'c'], aborted: ['a'] })
    await end('c')
  })

  it('continue while one of two users waits', async () => {
    const { aborted, outcomes, use, end } = createWorld()
    const release = use('a')
    use('a')
    release()
    await end('a')
    assert.deepEqual({ aborted, outcomes }, { aborted: [], outcomes: [{ value: 'a' }] })
  })

  it('keep the values released last, and all values in use', async () => {
    const { disposed, use, end } = createWorld({ maxAtOnce: 9 })
    const releases = new Map(['a', 'b', 'c', 'd'].map((key) => [key, use(key)]))
    for (const key of releases.keys()) await end(key)
    for (const key of ['b', 'a', 'c']) releases.get(key)?.()
    assert.deepEqual(disposed, ['b'])
  })

  it('load again after a failure', async () => {
    const { started, outcomes, use, end } = createWorld()
    const error = new Error('line')
    const release = use('a')
    await end('a', error)
    release()
    use('a')
    await end('a')
    assert.deepEqual(started, ['a', 'a'])
    assert.deepEqual(outcomes, [{ error }, { value: 'a' }])
  })

  it('dispose of a value that arrives after its load was aborted', async () => {
    const disposed: string[] = []
    const dispose = (value: string) => disposed.push(value)
    const loads = createSharedLoads<string>({ maxAtOnce: 1, maxUnused: 1, maxAgeMs: 1000, dispose })
    loads.use(
      'a',
      async () => 'late',
      () => assert.fail('there is no user'),
    )()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(disposed, ['late'])
  })
})
