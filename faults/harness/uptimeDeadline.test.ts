import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUptimeDeadline } from './uptimeDeadline.ts'

describe('a deadline in server uptime', () => {
  it('is over after that much uptime, however long the server was down', () => {
    let uptimeMs = 1_000
    const deadline = createUptimeDeadline(() => uptimeMs, 100)
    assert.equal(deadline.isOver(), false)
    uptimeMs = 1_100
    assert.equal(deadline.isOver(), false)
    uptimeMs = 1_101
    assert.equal(deadline.isOver(), true)
    deadline.restart()
    assert.equal(deadline.isOver(), false)
  })

  it('is over when the server has been down for two minutes', ({ mock }) => {
    let now = 5_000
    mock.method(performance, 'now', () => now)
    const deadline = createUptimeDeadline(() => 1_000, 100)
    now += 120_000
    assert.equal(deadline.isOver(), false)
    now += 1
    assert.equal(deadline.isOver(), true)
  })
})
