import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { identityKey, identityOf, inPathOrder } from './fileIdentity.ts'

const file = { name: 'a.jpg', folder: '', size: 10, lastModified: 5 }

describe('the order of chosen files', () => {
  it('counts numbers in names and folders as a person does', () => {
    const paths = ['day 10/1.jpg', 'day 2/10.jpg', 'b.jpg', 'day 2/9.jpg', 'Day 2/img 100.jpg', 'a.jpg']
    const files = paths.map((path) => {
      const [name = '', folder = ''] = path.split('/').toReversed()
      return { file: new File([], name), folder, isNew: false }
    })
    const ordered = inPathOrder(files).map(identityOf)
    assert.deepEqual(
      ordered.map(({ folder, name }) => (folder === '' ? name : `${folder}/${name}`)),
      ['a.jpg', 'b.jpg', 'day 2/9.jpg', 'day 2/10.jpg', 'Day 2/img 100.jpg', 'day 10/1.jpg'],
    )
  })
})

describe('the key of a file', () => {
  it('is equal only when folder, name, size and time agree', () => {
    assert.equal(identityKey(file), identityKey({ ...file }))
    assert.notEqual(identityKey({ ...file, folder: 'a', name: 'b' }), identityKey({ ...file, folder: '', name: 'ab' }))
    for (const change of [{ size: 11 }, { lastModified: 6 }, { folder: 'x' }])
      assert.notEqual(identityKey(file), identityKey({ ...file, ...change }))
  })
})
