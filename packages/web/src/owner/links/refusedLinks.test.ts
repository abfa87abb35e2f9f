import assert from 'node:assert/strict'
import { it } from 'node:test'
import { mayChangeMark, refusedIn } from './refusedLinks.ts'

const refused = { reasons: [], firstAt: '', lastAt: '' }

it('the mark of links that refused files is looked at again when it may come, or go, and not for each change', () => {
  assert.equal(refusedIn([{ refused }, { refused: undefined }]), 1)
  const may = (isMarked: boolean) =>
    (['reset', 'drop.refused', 'link.changed', 'drop.landed'] as const).map((name) => mayChangeMark(name, isMarked))
  assert.deepEqual(may(false), [true, true, false, false])
  assert.deepEqual(may(true), [true, true, true, false])
})
