import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startJobs } from './jobs.ts'
import type { Log } from './ports/log.ts'
import { StoreBroken } from './ports/store.ts'
import { createGate } from './testing/faults.ts'

/** Jobs over a sweep and a scrubber that do what the test says, and what they told. */
function jobsOver(
  sweep: () => Promise<void>,
  removeDeleting: () => Promise<void> = async () => undefined,
  turn: (signal: AbortSignal) => Promise<void> = async () => undefined,
) {
  const told: string[] = []
  const broken: unknown[] = []
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (event, facts) => void told.push(`${event} ${facts?.job}`),
  }
  const jobs = startJobs({
    sweep: { sweep, removeDeleting, resumeAccountDeletions: async () => undefined },
    scrub: { turn },
    log,
    sweepSeconds: 3600,
    onBroken: (error) => void broken.push(error),
  })
  return { jobs, told, broken }
}

describe('the jobs', () => {
  it('run one at a time, a start’s sweep first, and a job that waits is not queued twice', async () => {
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

  it('tell of a failure and go on', async () => {
    let removed = 0
    const { jobs, told, broken } = jobsOver(
      () => Promise.reject(new Error('broken')),
      async () => {
        removed += 1
      },
    )
    jobs.onDeleting()
    await new Promise(setImmediate)
    await jobs.stop()
    assert.deepEqual(told, ['job failed sweep'])
    assert.equal(removed, 1)
    assert.deepEqual(broken, [])
  })

  it('have the process ended when the store is broken, though no request is there to notice', async () => {
    const { jobs, broken } = jobsOver(() => Promise.reject(new StoreBroken('broken')))
    await new Promise(setImmediate)
    await jobs.stop()
    assert.equal(broken.length, 1)
  })

  it('start nothing more once they are stopped', async () => {
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

  it('have the scrubber read beside the sweep, and break it off when they are stopped', async () => {
    const [begun, deleting] = [createGate(), createGate()]
    const { jobs, told } = jobsOver(
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
    assert.deepEqual(told, [])
  })

  it('have an object that was found wrong looked at although the scrubber rests', async () => {
    let turns = 0
    const { jobs } = jobsOver(
      async () => undefined,
      undefined,
      async () => {
        turns += 1
      },
    )
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    jobs.onSuspect()
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    await jobs.stop()
    assert.equal(turns, 2)
  })
})
