import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { identityKey } from './fileIdentity.ts'

const file = { name: 'a.jpg', folder: '', size: 10, lastModified: 5 }

describe('the key of a file', () => {
  it('is equal only when folder, name, size and time agree', () => {
    assert.equal(identityKey(file), identityKey({ ...file }))
    assert.notEqual(identityKey({ ...file, folder: 'a', name: 'b' }), identityKey({ ...file, folder: '', name: 'ab' }))
    for (const change of [{ size: 11 }, { lastModified: 6 }, { folder: 'x' }])
      assert.notEqual(identityKey(file), identityKey({ ...file, ...change }))
  })
})
