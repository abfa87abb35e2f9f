import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCappedList, MAX_LISTED } from './cappedList.ts'

describe('a list for people', () => {
  it('counts what comes after the last that it keeps', () => {
    const told = createCappedList<number>()
    for (let item = 0; item < MAX_LISTED + 3; item++) told.add(item)
    assert.deepEqual([told.list.length, told.list.at(-1), told.more], [MAX_LISTED, MAX_LISTED - 1, 3])
  })
})
