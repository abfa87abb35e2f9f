import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { namePartsOf, pathPartsOf } from './nameParts.ts'

describe('the parts of a file name', () => {
  it('are the beginning, and an end with the ending of the name', () => {
    assert.deepEqual(namePartsOf('Minutes of the meeting 17.docx'), {
      stem: 'Minutes of the meetin',
      tail: 'g 17.docx',
    })
  })

  it('are the name itself when it is short', () => {
    for (const name of ['', 'one.txt', 'seventeen of them'])
      assert.deepEqual(namePartsOf(name), { stem: name, tail: '' })
  })

  it('put together are the name, and no part begins inside of a character', () => {
    const names = ['👩‍🚀'.repeat(9), 'e\u0301'.repeat(20), `${'👍🏽'.repeat(8)}.png`, '\u0301'.repeat(50)]
    for (const name of names) {
      const { stem, tail } = namePartsOf(name)
      assert.equal(stem + tail, name)
      assert.ok(stem.isWellFormed() && tail.isWellFormed(), name)
    }
    assert.match(namePartsOf('👩‍🚀'.repeat(9)).tail, /^(👩‍🚀)+$/u)
  })
})

describe('the parts of a path', () => {
  it('are the folder with its slash, and the name', () => {
    assert.deepEqual(pathPartsOf('trip/day 2/one.txt'), { folder: 'trip/day 2/', name: 'one.txt' })
    assert.deepEqual(pathPartsOf('one.txt'), { folder: '', name: 'one.txt' })
    assert.deepEqual(pathPartsOf('trip/'), { folder: '', name: 'trip/' })
  })
})
