import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allOrNone, extentOf, NOTHING, pruned, touched } from './selection.ts'

const shown = ['a', 'b', 'c', 'd', 'e']
const on = (id: string, reaches = false) => ({ id, isOn: true, reaches })
const off = (id: string, reaches = false) => ({ id, isOn: false, reaches })
const chosenOf = ({ chosen }: typeof NOTHING) => [...chosen].sort().join('')

describe('a selection', () => {
  it('takes and leaves single rows', () => {
    const two = touched(touched(NOTHING, shown, on('b')), shown, on('d'))
    assert.equal(chosenOf(two), 'bd')
    assert.equal(chosenOf(touched(two, shown, off('b'))), 'd')
  })

  it('reaches with shift from the row before, in either direction', () => {
    assert.equal(chosenOf(touched(touched(NOTHING, shown, on('b')), shown, on('d', true))), 'bcd')
    assert.equal(chosenOf(touched(touched(NOTHING, shown, on('d')), shown, on('a', true))), 'abcd')
    const all = { ...allOrNone(shown, true), anchor: 'b' }
    assert.equal(chosenOf(touched(all, shown, off('d', true))), 'ae')
  })

  it('reaches no further than the row itself when the one before is gone', () => {
    const gone = touched(NOTHING, ['x', ...shown], on('x'))
    assert.equal(chosenOf(touched(pruned(gone, shown), shown, on('d', true))), 'd')
  })

  it('holds nothing that is not shown', () => {
    assert.equal(chosenOf(pruned(allOrNone(shown, true), ['b', 'z'])), 'b')
    const kept = allOrNone(['b'], true)
    assert.equal(pruned(kept, shown), kept)
  })

  it('tells whether it is all', () => {
    assert.equal(extentOf(NOTHING, shown), 'none')
    assert.equal(extentOf(NOTHING, []), 'none')
    assert.equal(extentOf(touched(NOTHING, shown, on('a')), shown), 'some')
    assert.equal(extentOf(allOrNone(shown, true), shown), 'all')
  })
})
