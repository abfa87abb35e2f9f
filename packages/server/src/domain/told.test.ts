import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTold, TOLD_MOST } from './told.ts'

describe('a list for people', () => {
  it('counts what comes after the last that it keeps', () => {
    const told = createTold<number>()
    for (let item = 0; item < TOLD_MOST + 3; item++) told.add(item)
    assert.deepEqual([told.list.length, told.list.at(-1), told.more], [TOLD_MOST, TOLD_MOST - 1, 3])
  })
})
