import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { afterClick, allOrNone, EMPTY_SELECTION, extentOf, pruned } from './selection.ts'

const shown = ['a', 'b', 'c', 'd', 'e']
const on = (id: string, isRange = false) => ({ id, isOn: true, isRange })
const off = (id: string, isRange = false) => ({ id, isOn: false, isRange })
const chosenOf = ({ chosen }: typeof EMPTY_SELECTION) => [...chosen].sort().join('')

describe('a selection', () => {
  it('adds and removes single rows', () => {
    const two = afterClick(afterClick(EMPTY_SELECTION, shown, on('b')), shown, on('d'))
    assert.equal(chosenOf(two), 'bd')
    assert.equal(chosenOf(afterClick(two, shown, off('b'))), 'd')
  })

  it('extends with shift from the last row, in both directions', () => {
    assert.equal(chosenOf(afterClick(afterClick(EMPTY_SELECTION, shown, on('b')), shown, on('d', true))), 'bcd')
    assert.equal(chosenOf(afterClick(afterClick(EMPTY_SELECTION, shown, on('d')), shown, on('a', true))), 'abcd')
    const all = { ...allOrNone(shown, true), anchor: 'b' }
    assert.equal(chosenOf(afterClick(all, shown, off('d', true))), 'ae')
  })

  it('changes only the clicked row when the last row is no longer shown', () => {
    const hidden = afterClick(EMPTY_SELECTION, ['x', ...shown], on('x'))
    assert.equal(chosenOf(afterClick(pruned(hidden, shown), shown, on('d', true))), 'd')
  })

  it('contains only rows that are shown', () => {
    assert.equal(chosenOf(pruned(allOrNone(shown, true), ['b', 'z'])), 'b')
    const kept = allOrNone(['b'], true)
    assert.equal(pruned(kept, shown), kept)
  })

  it('says whether it contains none, some or all rows', () => {
    assert.equal(extentOf(EMPTY_SELECTION, shown), 'none')
    assert.equal(extentOf(EMPTY_SELECTION, []), 'none')
    assert.equal(extentOf(afterClick(EMPTY_SELECTION, shown, on('a')), shown), 'some')
    assert.equal(extentOf(allOrNone(shown, true), shown), 'all')
  })
})
