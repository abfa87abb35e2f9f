import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { until } from '../../../../../testing/until.ts'
import { openSqliteStore } from '../../adapters/sql/sqlite/store.ts'
import { createGate } from '../../testing/faults.ts'
import { createHandClock } from '../../testing/handClock.ts'
import { cacheFor, readTogether, whileUnchanged } from './cache.ts'

describe('a cache with a time to live', () => {
  it('reads again when the time is over, and when the clock was set back by as much', async () => {
    const clock = createHandClock()
    let readings = 0
    const ask = cacheFor(clock, 1000, async () => {
      readings += 1
      return readings
    })
    const given = []
    for (const seconds of [0, 0.999, 0.001, 0.5, -1.5, -0.999]) {
      clock.advance(seconds)
      given.push(await ask())
    }
    assert.deepEqual(given, [1, 1, 2, 2, 3, 3])
  })

  it('reads once for concurrent calls', async () => {
    const gate = createGate()
    let readings = 0
    const ask = cacheFor(createHandClock(), 1000, async () => {
      readings += 1
      await gate.passed
      return readings
    })
    const asked = Promise.all([ask(), ask(), ask()])
    gate.open()
    assert.deepEqual([await asked, readings], [[1, 1, 1], 1])
  })

  it('rejects the calls that waited for a failed read, and reads again for the next call', async () => {
    let readings = 0
    const ask = cacheFor(createHandClock(), 1000, async () => {
      readings += 1
      if (readings === 1) throw new Error('a test broke it')
      return readings
    })
    const answers = await Promise.allSettled([ask(), ask()])
    assert.deepEqual([answers.map(({ status }) => status), await ask()], [['rejected', 'rejected'], 2])
  })
})

/** Commits one number after another, and says each one when its commit is over. */
const COUNTER = `
  const { DatabaseSync } = require('node:sqlite')
  const db = new DatabaseSync(process.argv[1])
  db.exec('pragma busy_timeout = 60000; pragma synchronous = off')
  const put = db.prepare("insert or replace into server_facts (name, value) values ('server_id', cast(? as blob))")
  function next(number) {
    put.run(String(number))
    process.send(number, () => (number < 1000 ? next(number + 1) : process.disconnect()))
  }
  next(1)
`

describe('what is remembered while nothing is committed', () => {
  it('is never older than what another process had committed before the call, or than an earlier answer', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'blindkeep-cache-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const path = join(directory, 'blindkeep.sqlite')
    const store = await openSqliteStore({ path })
    t.after(() => store.close())
    let reads = 0
    const present = whileUnchanged(store, () => {
      reads += 1
      return store.read(async (tx) => Number(new TextDecoder().decode(await tx.server.fact('server_id'))))
    })
    const other = spawn(process.execPath, ['--no-warnings', '-e', COUNTER, path], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    let committed = 0
    let answered = 0
    let calls = 0
    const asking = new Set<Promise<void>>()
    async function ask(): Promise<void> {
      const atLeast = Math.max(committed, answered)
      calls += 1
      const answer = await present(undefined)
      assert.ok(answer >= atLeast, `${answer} after ${atLeast}`)
      answered = Math.max(answered, answer)
    }
    // Without a pause between them: calls overlap commits, looks and reads.
    async function askOn(): Promise<void> {
      while (other.exitCode === null && other.signalCode === null) await ask()
    }
    other.on('message', (number) => {
      committed = Number(number)
      asking.add(ask())
    })
    const ended = once(other, 'close')
    await Promise.all([askOn(), askOn(), askOn()])
    await Promise.all(asking)
    assert.deepEqual(await ended, [0, null])
    await ask()
    assert.equal(answered, 1000)
    assert.ok(reads < calls, 'nothing was remembered')
  })
})

describe('a reading for all calls that came before it began', () => {
  it('never answers with what was read before the call, and runs one at a time', async () => {
    const gates = [createGate(), createGate(), createGate()]
    let readings = 0
    let running = 0
    const ask = readTogether(async () => {
      const number = readings
      readings += 1
      running += 1
      assert.equal(running, 1)
      await gates[number]?.passed
      running -= 1
      if (number === 1) throw new Error('away')
      return number
    })
    const first = ask()
    await until(() => readings === 1)
    const second = Promise.allSettled([ask(), ask()])
    gates[0]?.open()
    assert.equal(await first, 0)
    await until(() => readings === 2)
    const third = ask()
    gates[1]?.open()
    assert.deepEqual(
      (await second).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    gates[2]?.open()
    assert.deepEqual([await third, readings], [2, 3])
  })
})
