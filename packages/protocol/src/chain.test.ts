import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkChain } from './chain.ts'
import { parseAssetId, parseKeyId, parseSha256Hex, parseUploadId } from './ids.ts'
import type { DecodedReceipt, ReceiptPayload } from './receipt.ts'
import { known } from './testing/known.ts'

const hashOf = (sequence: number) => known(parseSha256Hex(sequence.toString(16).padStart(64, '0')))

/** Receipt `sequence`, which follows the one before it. Its hash is invented. */
function receipt(sequence: number, changes: Partial<ReceiptPayload> = {}): DecodedReceipt {
  return {
    keyId: known(parseKeyId('5a'.repeat(32))),
    hash: hashOf(sequence),
    payload: {
      server_id: 'https://keep.example',
      receipt_seq: sequence,
      ...(sequence === 1 ? {} : { prior_receipt_hash: hashOf(sequence - 1) }),
      upload_id: known(parseUploadId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f')),
      asset_id: known(parseAssetId('1192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f')),
      blob_role: 'original',
      ciphertext_hash: hashOf(999),
      size: 1,
      received_at: '2026-03-01T10:20:30.456Z',
      ...changes,
    },
  }
}

describe('a chain of receipts', () => {
  it('is unbroken when each receipt follows the one before it', () => {
    assert.equal(checkChain([]), undefined)
    assert.equal(checkChain([receipt(1)], { whole: true }), undefined)
    assert.equal(checkChain([receipt(1), receipt(2), receipt(3)], { whole: true }), undefined)
  })

  it('may leave out receipts of other assets, except with `whole`', () => {
    assert.equal(checkChain([receipt(1), receipt(3), receipt(4)]), undefined)
    assert.deepEqual(checkChain([receipt(1), receipt(3)], { whole: true }), { index: 1, fault: 'prior_hash_differs' })
  })

  it('is broken where a neighbour was replaced', () => {
    const chain = [receipt(1), receipt(2, { prior_receipt_hash: hashOf(77) }), receipt(3)]
    assert.deepEqual(checkChain(chain), { index: 1, fault: 'prior_hash_differs' })
  })

  it('is broken where a receipt after the first has no prior hash', () => {
    const chain = [receipt(1), receipt(5, { prior_receipt_hash: undefined })]
    assert.deepEqual(checkChain(chain), { index: 1, fault: 'prior_hash_absent' })
  })

  it('is broken where numbers repeat or fall', () => {
    assert.deepEqual(checkChain([receipt(2), receipt(2)]), { index: 1, fault: 'sequence_not_rising' })
    assert.deepEqual(checkChain([receipt(2), receipt(3), receipt(1)]), { index: 2, fault: 'sequence_not_rising' })
  })

  it('is broken where the clock went back', () => {
    const chain = [receipt(1), receipt(2, { received_at: '2026-03-01T10:20:30.455Z' })]
    assert.deepEqual(checkChain(chain), { index: 1, fault: 'time_went_back' })
  })

  it('is broken where a receipt is of another server', () => {
    const chain = [receipt(1), receipt(2, { server_id: 'https://other.example' })]
    assert.deepEqual(checkChain(chain), { index: 1, fault: 'other_server' })
  })

  it('has another name exactly where the moves between two receipts lead to it', () => {
    const [here, there] = ['https://keep.example', 'https://drop.example']
    const moves = [
      { from: here, to: there, lastReceiptSeq: 2 },
      { from: there, to: here, lastReceiptSeq: 4 },
      { from: here, to: there, lastReceiptSeq: 4 },
    ]
    const named = (sequence: number, server_id: string) => receipt(sequence, { server_id })
    const faultOf = (...chain: DecodedReceipt[]) => checkChain(chain, { moves })?.fault
    const log = [named(1, here), named(2, here), named(3, there), named(4, there), named(5, there)]
    assert.equal(checkChain(log, { moves, whole: true }), undefined)
    assert.equal(faultOf(named(1, here), named(5, there)), undefined)
    assert.equal(faultOf(named(1, here), named(2, there)), 'other_server')
    assert.equal(faultOf(named(2, here), named(3, here)), 'other_server')
    assert.equal(faultOf(named(3, there), named(5, here)), 'other_server')
    assert.equal(faultOf(named(1, there), named(3, here)), 'other_server')
    assert.equal(faultOf(named(1, there), named(3, there)), 'other_server')
    assert.deepEqual(checkChain(log), { index: 2, fault: 'other_server' })
  })
})
