import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NetworkError, ProblemError, SealError, ShareError } from '@blindkeep/client/errors'
import { faultOf, fileFaultOf, passphraseReasonOf } from './faults.ts'

const notFound = new ProblemError({ operation: 'share', status: 404, code: 'error.share.not_found' })
const failed = new ProblemError({ operation: 'share', status: 500, code: 'error.request.failed' })

describe('the faults of a share’s page', () => {
  it('distinguish an ended share, a damaged link and a link without its key', () => {
    assert.equal(faultOf(notFound), 'dead')
    assert.equal(faultOf(new ShareError('malformed')), 'damaged')
    assert.equal(faultOf(new ShareError('fragment_missing')), 'fragment_missing')
  })

  it('are none where another passphrase helps', () => {
    const limited = new ProblemError({ operation: 'share', status: 429, code: 'error.share.rate_limited' })
    assert.deepEqual(
      [new ShareError('passphrase_missing'), new ShareError('passphrase_wrong'), limited, notFound, failed].map(
        passphraseReasonOf,
      ),
      ['at_first', 'wrong', 'limited', undefined, undefined],
    )
  })

  it('distinguish tampering from failures', () => {
    assert.equal(faultOf(new ShareError('index_swapped')), 'tampered')
    assert.equal(faultOf(new SealError('altered', 'a part is not as it was sealed')), 'tampered')
    assert.equal(faultOf(new NetworkError('cut')), 'unreachable')
    assert.equal(faultOf(failed), 'failed')
    assert.equal(faultOf(new Error('anything')), 'failed')
  })

  it('distinguish, for one file, a deleted file, tampering and a full disk', () => {
    assert.equal(fileFaultOf(notFound), 'file_gone')
    assert.equal(fileFaultOf(new ShareError('asset_differs')), 'file_tampered')
    assert.equal(fileFaultOf(new SealError('truncated', 'the end is missing')), 'file_tampered')
    assert.equal(fileFaultOf(new DOMException('full', 'QuotaExceededError')), 'disk')
    assert.equal(fileFaultOf(new NetworkError('unreachable')), 'unreachable')
  })
})
