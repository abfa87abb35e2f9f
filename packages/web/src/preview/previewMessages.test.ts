import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MAX_THUMBNAIL_BYTES, parseFromFrame } from './previewMessages.ts'

describe('parseFromFrame', () => {
  it('accepts every message of a frame', () => {
    const bytes = new ArrayBuffer(8)
    assert.deepEqual(parseFromFrame({ kind: 'ready', more: 1 }), { kind: 'ready' })
    assert.deepEqual(parseFromFrame({ kind: 'escape', more: 1 }), { kind: 'escape' })
    assert.deepEqual(parseFromFrame({ kind: 'shown', width: 3, height: 2 }), { kind: 'shown', width: 3, height: 2 })
    assert.deepEqual(parseFromFrame({ kind: 'thumbnail', bytes }), { kind: 'thumbnail', bytes })
    assert.deepEqual(parseFromFrame({ kind: 'needs', decoder: 'other' }), { kind: 'needs' })
    assert.deepEqual(parseFromFrame({ kind: 'shown', pages: 7 }), { kind: 'shown', pages: 7 })
    assert.deepEqual(parseFromFrame({ kind: 'failed', failure: 'locked' }), { kind: 'failed', failure: 'locked' })
    for (const by of [1, -1]) assert.deepEqual(parseFromFrame({ kind: 'turn', by }), { kind: 'turn', by })
  })

  it('answers undefined for anything else', () => {
    for (const data of [undefined, null, 'ready', 7, {}, { kind: 'other' }, { kind: 'thumbnail', bytes: 'x' }])
      assert.equal(parseFromFrame(data), undefined)
    const long = new ArrayBuffer(MAX_THUMBNAIL_BYTES + 1)
    assert.equal(parseFromFrame({ kind: 'thumbnail', bytes: long }), undefined)
  })

  it('ignores what is not known in a message that is', () => {
    for (const pages of [0, -1, 1.5, Infinity, '7', 2_000_000])
      assert.deepEqual(parseFromFrame({ kind: 'shown', pages }), { kind: 'shown' })
    assert.deepEqual(parseFromFrame({ kind: 'failed', failure: '<b>' }), { kind: 'failed' })
    assert.deepEqual(parseFromFrame({ kind: 'turn', by: 1e9 }), { kind: 'turn', by: 1 })
  })

  it('ignores an impossible size', () => {
    for (const width of ['3', Number.NaN, Infinity, 0, -1, 1.5, 2_000_000, { toString: () => '1; color: red' }])
      assert.deepEqual(parseFromFrame({ kind: 'shown', width, height: 2 }), { kind: 'shown' })
  })
})
