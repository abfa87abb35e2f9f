import assert from 'node:assert/strict'
import { it } from 'node:test'
import { countText } from './counts.ts'

it('a count has the singular for one alone', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => countText(count, 'drop')),
    ['0 drops', '1 drop', '2 drops'],
  )
  assert.deepEqual(
    [1, 3].map((count) => countText(count, 'file is', 'files are')),
    ['1 file is', '3 files are'],
  )
})
