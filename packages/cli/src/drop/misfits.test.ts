import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { usualSealedBytes } from '@blindkeep/client/sizes'
import { misfits } from './misfits.ts'

function judged(room: Parameters<typeof misfits>[0], ...sizes: readonly number[]) {
  const files = sizes.map((size, index) => ({ path: `/${index}`, shownAs: `${index}`, name: `${index}`, size }))
  const found = misfits(room, files)
  return files.map((file) => found.get(file)?.reason)
}

describe('the files that do not fit into a link', () => {
  it('are none where the link has no limit', () => {
    assert.deepEqual(judged({}, 0, 2 ** 40), [undefined, undefined])
  })

  it('are those after the last one for which there is room', () => {
    assert.deepEqual(judged({ remainingFiles: 2 }, 1, 1, 1), [undefined, undefined, 'too_many'])
    assert.deepEqual(judged({ remainingFiles: 0 }, 1), ['too_many'])
  })

  it('use up no room', () => {
    assert.deepEqual(judged({ fileBytesMax: 5, remainingFiles: 1 }, 9, 1), ['too_large', undefined])
    const remainingBytes = usualSealedBytes(1000) + usualSealedBytes(10)
    assert.deepEqual(judged({ remainingBytes }, 1000, 11, 10), [undefined, 'no_room', undefined])
  })
})
