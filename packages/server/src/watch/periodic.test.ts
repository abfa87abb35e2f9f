import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StoreBroken } from '../ports/store.ts'
import { createGate } from '../testing/faults.ts'
import { startWork, type Work } from './periodic.ts'

const FIRST = { everyMs: 3_600_000, isFirstAtStart: true, where: 'each node', failure: 'job failed' } as const
const ON_DEMAND = { ...FIRST, everyMs: 'on demand', isFirstAtStart: false } as const

const turnOfLoop = () => new Promise(setImmediate)

/** Work that runs, with what it logs and which turns it takes. */
function running(...rows: readonly Work[]) {
  const logged: string[] = []
  const turns: string[] = []
  const broken: unknown[] = []
  const work = startWork(rows, {
    node: {
      inTurn(name, job) {
        turns.push(name)
        return job()
      },
    },
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (event, facts) => void logged.push(`${event} ${facts?.job}`),
    },
    onBroken: (error) => void broken.push(error),
  })
  return { ...work, logged, turns, broken }
}

describe('periodic work', () => {
  it('runs one at a time in its queue, and what waits is not queued twice', async () => {
    const [begun, gate] = [createGate(), createGate()]
    const order: string[] = []
    const sweep = async () => {
      order.push('sweep')
      begun.open()
      await gate.passed
    }
    const remove = async () => order.push('remove')
    const { soon, stop } = running(
      { ...FIRST, name: 'sweep', queue: 'sweep', run: sweep },
      { ...ON_DEMAND, name: 'remove', queue: 'sweep', run: remove },
    )
    await begun.passed
    for (let count = 0; count < 100; count += 1) soon('remove')
    gate.open()
    await turnOfLoop()
    soon('remove')
    await turnOfLoop()
    await stop()
    assert.deepEqual(order, ['sweep', 'remove', 'remove'])
  })

  it('is asked for again while it runs, and runs again', async () => {
    const [begun, gate] = [createGate(), createGate()]
    let runs = 0
    const run = async () => {
      runs += 1
      begun.open()
      await gate.passed
    }
    const { soon, stop } = running({ ...FIRST, name: 'remove', queue: 'sweep', run })
    await begun.passed
    soon('remove')
    gate.open()
    await turnOfLoop()
    await stop()
    assert.equal(runs, 2)
  })

  it('logs a failure, and goes on at its next time', async () => {
    const third = createGate()
    let runs = 0
    const run = async () => {
      runs += 1
      if (runs === 1) throw new Error('broken')
      if (runs === 3) third.open()
    }
    const { stop, logged, broken } = running({ ...FIRST, name: 'refresh', everyMs: 1, run })
    await third.passed
    await stop()
    assert.deepEqual([logged, broken], [['job failed refresh'], []])
    const before = runs
    await turnOfLoop()
    assert.equal(runs, before)
  })

  it('without an event for failures logs none', async () => {
    const run = () => Promise.reject(new Error('away'))
    const { stop, logged } = running({
      name: 'witness',
      everyMs: 60_000,
      isFirstAtStart: true,
      where: 'each node',
      run,
    })
    await turnOfLoop()
    await stop()
    assert.deepEqual(logged, [])
  })

  it('ends the process when the store is broken, even without a request', async () => {
    const run = () => Promise.reject(new StoreBroken('broken'))
    const { stop, broken } = running({ ...FIRST, name: 'sweep', run })
    await turnOfLoop()
    await stop()
    assert.equal(broken.length, 1)
  })

  it('starts nothing after it is stopped', async () => {
    let runs = 0
    const run = async () => {
      runs += 1
    }
    const { soon, stop } = running({ ...ON_DEMAND, name: 'remove', run })
    await stop()
    soon('remove')
    await stop()
    assert.equal(runs, 0)
  })

  it('runs beside work of other queues, and is interrupted when it is stopped', async () => {
    const [begun, removed] = [createGate(), createGate()]
    const scrub = (signal: AbortSignal) => {
      begun.open()
      const { promise, reject } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => reject(signal.reason))
      return promise
    }
    const { soon, stop, logged } = running(
      { ...FIRST, name: 'scrub', queue: 'scrub', run: scrub },
      { ...ON_DEMAND, name: 'remove', queue: 'sweep', run: async () => removed.open() },
    )
    await begun.passed
    soon('remove')
    await removed.passed
    await stop()
    assert.deepEqual(logged, [])
  })

  it('without a queue leaves out what is due while it runs', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const gate = createGate()
    let runs = 0
    const run = async () => {
      runs += 1
      if (runs === 1) await gate.passed
    }
    const { stop } = running({ ...FIRST, name: 'refresh', everyMs: 1000, run })
    await turnOfLoop()
    t.mock.timers.tick(5000)
    gate.open()
    await turnOfLoop()
    assert.equal(runs, 1)
    t.mock.timers.tick(1000)
    await turnOfLoop()
    assert.equal(runs, 2)
    await stop()
  })

  it('is waited for at the end, unless its row says otherwise', async () => {
    const gate = createGate()
    const rows = [true, false].map((isLeftAtEnd) =>
      running({ ...FIRST, name: 'bytes', isLeftAtEnd, run: () => gate.passed }),
    )
    await turnOfLoop()
    const stopped: boolean[] = [false, false]
    const stops = rows.map(async ({ stop }, at) => {
      await stop()
      stopped[at] = true
    })
    await turnOfLoop()
    assert.deepEqual(stopped, [true, false])
    gate.open()
    await Promise.all(stops)
  })

  it('counts from the end of a run, if its row says so', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const gate = createGate()
    let runs = 0
    const run = async () => {
      runs += 1
      if (runs === 1) await gate.passed
    }
    const { stop } = running({ ...FIRST, name: 'scrub', everyMs: 1000, isCountedFromEnd: true, queue: 'scrub', run })
    await turnOfLoop()
    t.mock.timers.tick(5000)
    await turnOfLoop()
    assert.equal(runs, 1)
    gate.open()
    await turnOfLoop()
    for (const [ms, expected] of [
      [999, 1],
      [1, 2],
    ] as const) {
      t.mock.timers.tick(ms)
      await turnOfLoop()
      assert.equal(runs, expected)
    }
    await stop()
  })

  it('takes a turn from other nodes only if there is something to do', async () => {
    let isNeeded = false
    const row = { ...ON_DEMAND, name: 'again', where: { turn: 'scrub' }, isNeeded: async () => isNeeded } as const
    const { soon, stop, turns } = running({ ...row, run: async () => undefined })
    soon('again')
    await turnOfLoop()
    assert.deepEqual(turns, [])
    isNeeded = true
    soon('again')
    await turnOfLoop()
    await stop()
    assert.deepEqual(turns, ['scrub'])
  })
})
