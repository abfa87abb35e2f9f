import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPatience } from './patience.ts'

describe('patience', () => {
  it('is over when the server was up for so long, and not when it was only waited for', () => {
    let uptimeMs = 1_000
    const patience = createPatience(() => uptimeMs, 100)
    assert.equal(patience.isOver(), false)
    uptimeMs = 1_100
    assert.equal(patience.isOver(), false)
    uptimeMs = 1_101
    assert.equal(patience.isOver(), true)
    patience.restart()
    assert.equal(patience.isOver(), false)
  })

  it('is over when the server has been down for two minutes', ({ mock }) => {
    let now = 5_000
    mock.method(performance, 'now', () => now)
    const patience = createPatience(() => 1_000, 100)
    now += 120_000
    assert.equal(patience.isOver(), false)
    now += 1
    assert.equal(patience.isOver(), true)
  })
})
