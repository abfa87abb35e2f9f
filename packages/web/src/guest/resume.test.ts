import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KeptUpload } from './keep.ts'
import { identityOf, matchOf } from './resume.ts'

const file = { name: 'a.jpg', folder: '', size: 10, lastModified: 5 }
const state = {} as KeptUpload['state']
const kept = (change: Partial<KeptUpload>): KeptUpload => ({
  ...{ ...file, id: 'one', linkId: 'link', state, keptAt: 0, reached: 0 },
  ...change,
})

describe('the upload that a chosen file goes on with', () => {
  it('is the one of the same name, size and time', () => {
    const others = [kept({ lastModified: 4, id: 'older' }), kept({})]
    assert.deepEqual(matchOf(file, others), { is: 'same', upload: others[1] })
  })

  it('is perhaps one of the same name and size, as phones give every copy a new time', () => {
    assert.equal(matchOf(file, [kept({ lastModified: 4 })])?.is, 'perhaps')
  })

  it('has changed when the name alone is the same', () => {
    assert.equal(matchOf(file, [kept({ size: 11 })])?.is, 'changed')
  })

  it('may have come with its folder before, but not from another one', () => {
    assert.equal(matchOf(file, [kept({ folder: 'trip' })])?.is, 'same')
    assert.equal(matchOf({ ...file, folder: 'home' }, [kept({ folder: 'trip' })]), undefined)
  })

  it('is none for a file of another name', () => {
    assert.equal(matchOf(file, [kept({ name: 'b.jpg' })]), undefined)
  })
})

describe('two files', () => {
  it('are one when folder, name, size and time agree, however their parts run together', () => {
    assert.equal(identityOf(file), identityOf({ ...file }))
    assert.notEqual(identityOf({ ...file, folder: 'a', name: 'b' }), identityOf({ ...file, folder: '', name: 'ab' }))
    for (const change of [{ size: 11 }, { lastModified: 6 }, { folder: 'x' }])
      assert.notEqual(identityOf(file), identityOf({ ...file, ...change }))
  })
})
