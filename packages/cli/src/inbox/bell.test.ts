import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createBell } from './bell.ts'

const DAY_MS = 86_400_000

describe('a bell', () => {
  it('is heard once for all rings of a rest, so that one rung without end wakes once for each rest', async () => {
    let rests = 0
    const bell = createBell(async () => {
      rests++
      for (let count = 0; count < 1000; count++) bell.ring()
    })
    const { signal } = new AbortController()
    bell.ring()
    await bell.heard(DAY_MS, signal)
    assert.equal(rests, 1)
    const next = bell.heard(DAY_MS, signal).then(() => 'heard')
    assert.equal(await Promise.race([next, new Promise((resolve) => setImmediate(resolve, 'waits'))]), 'waits')
    bell.ring()
    assert.deepEqual([await next, rests], ['heard', 2])
  })

  it('rejects with the reason of its signal, also during the rest', async () => {
    const leave = new AbortController()
    const bell = createBell()
    bell.ring()
    const heard = bell.heard(DAY_MS, leave.signal)
    leave.abort(new Error('enough'))
    await assert.rejects(heard, /enough/)
  })
})
