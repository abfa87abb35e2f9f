import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetFacts, UploadState } from '@blindkeep/client/owner'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { mayBeFinished } from './uploadItem.ts'

const hash = parseSha256Hex('0'.repeat(64)) ?? assert.fail()
const stateOf = (uploadId?: string) =>
  ({ provenance: { bytes: '', ...(uploadId === undefined ? {} : { uploadId }) } }) as Pick<UploadState, 'provenance'>
const assetWith = (...roles: AssetFacts['blobs'][number]['role'][]) => ({
  blobs: roles.map((role) => ({ role, hash, size: 1 })),
})

describe('an upload that is cancelled', () => {
  it('may be finished once its signature began to be sent, whatever the server says', () => {
    const state = stateOf('00000000-0000-4000-8000-000000000001')
    assert.ok(mayBeFinished(state))
    assert.ok(mayBeFinished(state, assetWith('original')))
  })

  it('may be finished by another client when the server lists a signature', () => {
    assert.ok(mayBeFinished(stateOf(), assetWith('original', 'metadata', 'provenance')))
  })

  it('leaves nothing finished before its signature began to be sent', () => {
    assert.ok(!mayBeFinished(stateOf()))
    assert.ok(!mayBeFinished(stateOf(), assetWith('original', 'metadata')))
  })
})
