import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { namePartsOf } from './nameParts.ts'

describe('the parts of a file name', () => {
  it('are the folder, the beginning, and an end with the ending of the name', () => {
    const parts = namePartsOf('trip/day 2/Minutes of the meeting 17.docx')
    assert.deepEqual(parts, { folder: 'trip/day 2/', stem: 'Minutes of the meetin', tail: 'g 17.docx' })
  })

  it('are the name itself when it is short', () => {
    assert.deepEqual(namePartsOf('one.txt'), { folder: '', stem: 'one.txt', tail: '' })
    assert.deepEqual(namePartsOf('trip/one.txt'), { folder: 'trip/', stem: 'one.txt', tail: '' })
    assert.deepEqual(namePartsOf('trip/'), { folder: '', stem: 'trip/', tail: '' })
  })

  it('put together are the name, and no part begins inside of a character', () => {
    for (const name of [
      '👩‍🚀'.repeat(9),
      `e\u0301`.repeat(20),
      `${'👍🏽'.repeat(8)}.png`,
      'a/b/c',
      '\u0301'.repeat(50),
      '',
    ]) {
      const { folder, stem, tail } = namePartsOf(name)
      assert.equal(folder + stem + tail, name)
      assert.ok(stem.isWellFormed() && tail.isWellFormed(), name)
    }
    assert.match(namePartsOf('👩‍🚀'.repeat(9)).tail, /^(👩‍🚀)+$/u)
  })
})
