import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { spokenName, visibleName } from './visibleName.ts'

describe('the name that another person chose', () => {
  it('has no characters that turn its direction, and is none without a visible one', () => {
    assert.equal(visibleName(' a\u202efdp.exe '), 'afdp.exe')
    for (const name of [undefined, '', '  ', '\u200b\u2060', '\u202e', '\0\n'])
      assert.equal(visibleName(name), undefined)
  })

  it('is cut in labels without half a character, and replaced where there is none', () => {
    assert.equal(spokenName('n'.repeat(201), 'x'), `${'n'.repeat(200)}…`)
    assert.ok(spokenName(`n${'😀'.repeat(200)}`, 'x').isWellFormed())
    assert.equal(spokenName('\u200b', 'Unnamed file'), 'Unnamed file')
  })
})
