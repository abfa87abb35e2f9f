import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CappedMap } from './cappedMap.ts'

it('a capped map forgets what was set first, and nothing below its cap', () => {
  const map = new CappedMap<string, number>(2)
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    map.set(key, value)
  assert.deepEqual(
    [...map],
    [
      ['b', 2],
      ['c', 4],
    ],
  )
})
