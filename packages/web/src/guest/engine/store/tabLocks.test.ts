import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { locksFor } from './tabLocks.ts'

/** A browser that allows no storage. */
const refusing: LockManager = {
  request: () => Promise.reject(new DOMException('denied', 'SecurityError')),
  query: () => Promise.reject(new DOMException('denied', 'SecurityError')),
}

describe('locks between tabs', () => {
  it('do not use Web Locks in a browser that stores nothing', async () => {
    const locks = locksFor({ isPersistent: false }, refusing)
    const release = await locks.lock('a')
    assert.ok(release)
    assert.equal(await locks.lock('a'), undefined)
    release()
    await locks.whenFree('a')
    assert.equal(await locks.isLocked('a'), false)
  })

  it('work in a browser without Web Locks', async () => {
    assert.ok(await locksFor({ isPersistent: true }, undefined).lock('a'))
  })
})
