import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { batchesOf } from './batches.ts'

const GIB = 1024 ** 3
const sizes = fc.array(fc.nat(3 * GIB), { maxLength: 350 })

describe('batches', () => {
  it('keep every asset once and in order, at most 100 together', () => {
    fc.assert(
      fc.property(sizes, fc.boolean(), (bytes, isDeep) => {
        const assets = bytes.map((sealedBytes, index) => ({ sealedBytes, index }))
        const batches = batchesOf(assets, { isDeep })
        assert.deepEqual(batches.flat(), assets)
        assert.ok(batches.every((batch) => batch.length >= 1 && batch.length <= 100))
      }),
      { numRuns: 50 },
    )
  })

  it('have no more bytes read at once than can be in time, or one file', () => {
    fc.assert(
      fc.property(sizes, (bytes) => {
        for (const batch of batchesOf(
          bytes.map((sealedBytes) => ({ sealedBytes })),
          { isDeep: true },
        ))
          assert.ok(batch.length === 1 || batch.reduce((sum, { sealedBytes }) => sum + sealedBytes, 0) <= 2 * GIB)
      }),
      { numRuns: 50 },
    )
  })

  it('are as large as they may be where nothing is read', () => {
    const assets = Array.from({ length: 201 }, () => ({ sealedBytes: 50 * GIB }))
    assert.deepEqual(
      batchesOf(assets, { isDeep: false }).map(({ length }) => length),
      [100, 100, 1],
    )
    assert.deepEqual(batchesOf([], { isDeep: true }), [])
  })
})
