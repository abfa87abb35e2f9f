import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FORMAT_DROP } from '@blindkeep/protocol/suites'
import fc from 'fast-check'
import { prefixBytes, sealedSizeOf } from './sealedBlob.ts'
import { largestPlaintext, usualSealedBytes } from './sizes.ts'

const sealed = (plaintextSize: number) => sealedSizeOf(prefixBytes(FORMAT_DROP, 1), plaintextSize)

describe('the largest file of a link', () => {
  it('fits, and one byte more does not', () => {
    const limit = fc.oneof(
      fc.integer({ min: sealed(0), max: 2 ** 24 }),
      fc.maxSafeInteger().filter((size) => size >= sealed(0) && size < 2 ** 45),
    )
    fc.assert(
      fc.property(limit, (limitBytes) => {
        const largest = largestPlaintext(limitBytes)
        assert.ok(largest !== undefined)
        assert.ok(sealed(largest) <= limitBytes)
        assert.ok(sealed(largest + 1) > limitBytes)
      }),
    )
  })

  it('is the inverse of the sealed size of a file', () => {
    for (const bytes of [0, 1, 2 ** 20, 2 ** 20 + 1, 2 ** 33])
      assert.equal(largestPlaintext(usualSealedBytes(bytes)), bytes)
  })

  it('does not exist when the limit is smaller than an empty sealed file', () => {
    assert.equal(largestPlaintext(sealed(0) - 1), undefined)
    assert.equal(largestPlaintext(sealed(0)), 0)
  })
})
