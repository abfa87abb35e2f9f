import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it } from 'node:test'
import { errorText } from '../../../ground/errorText.ts'
import { StorageUnavailable } from '../../../ports/store.ts'
import { openClient } from './client.ts'
import { createDatabaseClock, measureDatabaseClock } from './databaseClock.ts'
import { createNodeConnection } from './nodeConnection.ts'

/** A machine whose clock differs from the database's by `offMs`. */
function createMachine(offMs: number) {
  let elapsed = 0
  const start = 1_800_000_000_000
  const time = createDatabaseClock({ now: () => start + offMs + elapsed, elapsed: () => elapsed })
  return {
    time,
    pass: (ms: number) => {
      elapsed += ms
    },
    /** Half of the round trip is the way there. */
    measure(roundTripMs: number) {
      const sentMs = start + offMs + elapsed
      elapsed += roundTripMs
      const databaseMs = start + elapsed - roundTripMs / 2
      time.measured({ databaseMs, sentMs, answeredMs: start + offMs + elapsed })
    },
    /** How far the measured clock is from the database's. */
    errorMs: () => time.clock.now() - (start + elapsed),
  }
}

/** A port of this machine on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('the clock of the database', () => {
  it('is not told by a database that cannot be reached, nor is a node opened there: both say so', async () => {
    const url = `postgres://user@127.0.0.1:${await closedPort()}/data`
    const node = createNodeConnection({ url, isSole: true, channel: 'news', onNotice: () => undefined })
    for (const ask of [() => measureDatabaseClock(url), node.open, () => openClient(url)])
      await assert.rejects(ask(), (error) => {
        assert.ok(error instanceof StorageUnavailable)
        assert.match(errorText(error), /^The database cannot be reached \(connect ECONNREFUSED /)
        return true
      })
  })

  it('is the same on a machine whose clock is off', () => {
    for (const offMs of [-1500, 0, 1500]) {
      const machine = createMachine(offMs)
      machine.measure(40)
      assert.equal(machine.errorMs(), 0)
      assert.equal(machine.time.state(), 'right')
    }
  })

  it('is not right on a machine that is more than two seconds off, but still the same', () => {
    for (const offMs of [-2100, 2100]) {
      const machine = createMachine(offMs)
      machine.measure(40)
      assert.deepEqual([machine.errorMs(), machine.time.state()], [0, 'off'])
    }
  })

  it('is not right before it was measured, or five seconds after', () => {
    const machine = createMachine(0)
    assert.equal(machine.time.state(), 'unknown')
    machine.measure(40)
    machine.pass(5000)
    assert.equal(machine.time.state(), 'right')
    machine.pass(1)
    assert.equal(machine.time.state(), 'unknown')
    machine.measure(40)
    assert.equal(machine.time.state(), 'right')
  })

  it('ignores an answer that took more than a second', () => {
    const machine = createMachine(0)
    machine.measure(1001)
    assert.equal(machine.time.state(), 'unknown')
  })

  it('goes on evenly while a measurement confirms it', () => {
    const machine = createMachine(0)
    machine.measure(10)
    const sentMs = 1_800_000_000_010
    machine.time.measured({ databaseMs: sentMs + 8, sentMs, answeredMs: sentMs + 10 })
    assert.equal(machine.errorMs(), 0)
    machine.time.measured({ databaseMs: sentMs + 50, sentMs, answeredMs: sentMs + 10 })
    assert.equal(machine.errorMs(), 45)
  })
})
