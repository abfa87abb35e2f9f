import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Log } from '../ports/log.ts'
import { StoreBroken } from '../ports/store.ts'
import { createGate } from '../testing/faults.ts'
import { startJobs } from './jobs.ts'

/** Jobs with a sweep and a scrubber that the test controls, and their log. */
function jobsOver(
  sweep: () => Promise<void>,
  removeDeleting: () => Promise<void> = async () => undefined,
  turn: (signal: AbortSignal) => Promise<void> = async () => undefined,
  again: () => Promise<void> = async () => undefined,
  hasDoubtful = true,
) {
  const turns: string[] = []
  const logged: string[] = []
  const broken: unknown[] = []
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (event, facts) => void logged.push(`${event} ${facts?.job}`),
  }
  const jobs = startJobs({
    node: {
      inTurn(name, job) {
        turns.push(name)
        return job()
      },
    },
    sweep: { sweep, removeDeleting, resumeAccountDeletions: async () => undefined },
    scrub: { turn, again, hasDoubtful: async () => hasDoubtful },
    notifier: { tend: async () => undefined, isIdle: async () => undefined },
    log,
    sweepSeconds: 3600,
    onBroken: (error) => void broken.push(error),
  })
  return { jobs, logged, broken, turns }
}

describe('the jobs', () => {
  it('run one at a time, beginning with a sweep, and a waiting job is not queued twice', async () => {
    const [swept, gate] = [createGate(), createGate()]
    const order: string[] = []
    const { jobs } = jobsOver(
      async () => {
        order.push('sweep')
        swept.open()
        await gate.passed
      },
      async () => void order.push('remove'),
    )
    await swept.passed
    for (let count = 0; count < 100; count += 1) jobs.onDeleting()
    gate.open()
    await new Promise(setImmediate)
    jobs.onDeleting()
    await new Promise(setImmediate)
    await jobs.stop()
    assert.deepEqual(order, ['sweep', 'remove', 'remove'])
  })

  it('log a failure and continue', async () => {
    let removed = 0
    const { jobs, logged, broken } = jobsOver(
      () => Promise.reject(new Error('broken')),
      async () => {
        removed += 1
      },
    )
    jobs.onDeleting()
    await new Promise(setImmediate)
    await jobs.stop()
    assert.deepEqual(logged, ['job failed sweep'])
    assert.equal(removed, 1)
    assert.deepEqual(broken, [])
  })

  it('end the process when the store is broken, even without a request', async () => {
    const { jobs, broken } = jobsOver(() => Promise.reject(new StoreBroken('broken')))
    await new Promise(setImmediate)
    await jobs.stop()
    assert.equal(broken.length, 1)
  })

  it('start nothing after they are stopped', async () => {
    let removed = 0
    const { jobs } = jobsOver(
      async () => undefined,
      async () => {
        removed += 1
      },
    )
    await jobs.stop()
    jobs.onDeleting()
    await jobs.stop()
    assert.equal(removed, 0)
  })

  it('run the scrubber beside the sweep, and interrupt it when they are stopped', async () => {
    const [begun, deleting] = [createGate(), createGate()]
    const { jobs, logged } = jobsOver(
      async () => undefined,
      async () => deleting.open(),
      (signal) => {
        begun.open()
        const { promise, reject } = Promise.withResolvers<void>()
        signal.addEventListener('abort', () => reject(signal.reason))
        return promise
      },
    )
    await begun.passed
    jobs.onDeleting()
    await deleting.passed
    await jobs.stop()
    assert.deepEqual(logged, [])
  })

  it('read a suspect object again during the pause of the scrubber', async () => {
    let turns = 0
    const { jobs } = jobsOver(
      async () => undefined,
      undefined,
      undefined,
      async () => {
        turns += 1
      },
    )
    jobs.onSuspect()
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    await jobs.stop()
    assert.equal(turns, 1)
  })

  it('take no turn from other nodes to read again what is not there', async () => {
    const { jobs, turns } = jobsOver(async () => undefined, undefined, undefined, undefined, false)
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    jobs.onSuspect()
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    await jobs.stop()
    assert.deepEqual(turns, ['sweep', 'scrub'])
  })
})
