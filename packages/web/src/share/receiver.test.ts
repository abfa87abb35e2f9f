import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NetworkError, ProblemError, SealError, ShareError } from '@blindkeep/client/errors'
import { faultOf, fileFaultOf } from './receiver.ts'

const gone = new ProblemError({ operation: 'share', status: 404, code: 'error.share.not_found' })
const failed = new ProblemError({ operation: 'share', status: 500, code: 'error.request.failed' })

describe('what a share’s page says went wrong', () => {
  it('tells an address that shows nothing from one that is damaged and from one without its key', () => {
    assert.equal(faultOf(gone), 'dead')
    assert.equal(faultOf(new ShareError('malformed')), 'damaged')
    assert.equal(faultOf(new ShareError('fragment_missing')), 'fragment_missing')
  })

  it('tells what was caught from what merely failed', () => {
    assert.equal(faultOf(new ShareError('index_swapped')), 'tampered')
    assert.equal(faultOf(new SealError('altered', 'a part is not as it was sealed')), 'tampered')
    assert.equal(faultOf(new NetworkError('cut')), 'unreachable')
    assert.equal(faultOf(failed), 'failed')
    assert.equal(faultOf(new Error('anything')), 'failed')
  })

  it('says of one file that it is gone, another one, or that the disk refuses it', () => {
    assert.equal(fileFaultOf(gone), 'file_gone')
    assert.equal(fileFaultOf(new ShareError('asset_differs')), 'file_tampered')
    assert.equal(fileFaultOf(new SealError('truncated', 'the end is missing')), 'file_tampered')
    assert.equal(fileFaultOf(new DOMException('full', 'QuotaExceededError')), 'disk')
    assert.equal(fileFaultOf(new NetworkError('unreachable')), 'unreachable')
  })
})
