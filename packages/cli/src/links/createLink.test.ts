import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { capsOf } from './createLink.ts'

describe('the limits of a new link', () => {
  it('are 1,000 files and 10 GB in all, unless flags say otherwise', () => {
    const usual = { maxFileCount: 1000, maxFileSize: undefined, maxTotalBytes: 10e9 }
    assert.deepEqual(capsOf({}), usual)
    assert.deepEqual(capsOf({ files: 5 }), { ...usual, maxFileCount: 5 })
    assert.deepEqual(capsOf({ files: 'unlimited' }), { ...usual, maxFileCount: undefined })
    assert.deepEqual(capsOf({ once: true }), { ...usual, maxFileCount: undefined })
    assert.deepEqual(capsOf({ maxTotal: 'unlimited' }), { ...usual, maxTotalBytes: undefined })
  })
})
