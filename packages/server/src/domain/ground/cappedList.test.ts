import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCappedList, MAX_LISTED } from './cappedList.ts'

describe('a capped list', () => {
  it('keeps the first items up to its limit, and counts the rest', () => {
    const capped = createCappedList<number>()
    for (let item = 0; item < MAX_LISTED + 3; item++) capped.add(item)
    assert.deepEqual([capped.list.length, capped.list.at(-1), capped.more], [MAX_LISTED, MAX_LISTED - 1, 3])
  })
})
