import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { misfitsOf } from './fit.ts'
import { usualSealedBytes } from './seal/sizes.ts'

const files = (...sizes: number[]) => sizes.map((size) => ({ size }))
const judged = (...given: Parameters<typeof misfitsOf>) => [...misfitsOf(...given).values()]

describe('the files that fit into a link', () => {
  it('are all of them when it has no limit', () => {
    assert.deepEqual(judged(files(0, 2 ** 40), {}), [undefined, undefined])
  })

  it('respect the largest size, the number of files that is left and the bytes that are left', () => {
    assert.deepEqual(judged(files(10, 11), { sealedBytesMax: usualSealedBytes(10) }), [undefined, 'too_large'])
    assert.deepEqual(judged(files(1, 1, 1), { remainingFiles: 2 }), [undefined, undefined, 'too_many'])
    const room = usualSealedBytes(1000) + usualSealedBytes(10)
    assert.deepEqual(judged(files(1000, 11, 10), { remainingBytes: room }), [undefined, 'no_room', undefined])
  })

  it('leave room for the files that are being sent, and none for those that do not fit', () => {
    assert.deepEqual(judged(files(1, 1), { remainingFiles: 3 }, { files: 2, bytes: 0 }), [undefined, 'too_many'])
    assert.deepEqual(judged(files(9, 1), { sealedBytesMax: usualSealedBytes(5), remainingFiles: 1 }), [
      'too_large',
      undefined,
    ])
  })

  it('are not called too large where only the bytes that are left are short', () => {
    assert.deepEqual(judged(files(0, 2000), { sealedBytesMax: 10_000, remainingBytes: 0 }), ['no_room', 'no_room'])
  })

  it('are none when the link is full', () => {
    assert.deepEqual(judged(files(0), { remainingFiles: 0, remainingBytes: 0, inboxFull: true }), ['too_many'])
  })

  it('are none when the inbox behind it is full', () => {
    assert.deepEqual(judged(files(0, 1), { remainingFiles: 9, inboxFull: true }), ['inbox_full', 'inbox_full'])
  })
})
