import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { locksFor } from './tabLocks.ts'

/** As of a browser that may keep nothing. */
const refusing: LockManager = {
  request: () => Promise.reject(new DOMException('denied', 'SecurityError')),
  query: () => Promise.reject(new DOMException('denied', 'SecurityError')),
}

describe('locks between tabs', () => {
  it('are not asked for by a tab whose browser keeps nothing', async () => {
    const locks = locksFor({ isLasting: false }, refusing)
    const giveBack = await locks.take('a')
    assert.ok(giveBack)
    assert.equal(await locks.take('a'), undefined)
    giveBack()
    await locks.free('a')
    assert.equal(await locks.isTaken('a'), false)
  })

  it('do without Web Locks where a browser has none', async () => {
    assert.ok(await locksFor({ isLasting: true }, undefined).take('a'))
  })
})
