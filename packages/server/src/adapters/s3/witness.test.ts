import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hash } from '../../contracts/store/world.ts'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { openDouble, openS3World } from '../../testing/s3/world.ts'

describe('the witness in a bucket', () => {
  it('keeps the last head, and is not missing because the bucket is away', async () => {
    const place = await openDouble()
    const world = await openS3World(place)
    try {
      const { witness } = world.store
      assert.equal(await witness.read(), undefined)
      for (const receiptSeq of [1, Number.MAX_SAFE_INTEGER]) {
        const head = { life: 2, receiptSeq, receiptHash: hash(receiptSeq) }
        await witness.write(head)
        assert.deepEqual(await witness.read(), head)
      }
      const comeBack = await place.leave()
      await assert.rejects(witness.read(), StorageUnavailable)
      await assert.rejects(witness.write({ life: 2, receiptSeq: 3, receiptHash: hash(3) }), StorageUnavailable)
      await comeBack()
      assert.equal((await witness.read())?.receiptSeq, Number.MAX_SAFE_INTEGER)
    } finally {
      await world.close()
    }
  })
})
