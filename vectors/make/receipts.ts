import { toBase64, toHex } from '@blindkeep/protocol/bytes'
import { parseAssetId, parseDropId, parseSha256Hex, parseUploadId } from '@blindkeep/protocol/ids'
import {
  assembleReceipt,
  decodeReceipt,
  type ReceiptPayload,
  receiptHash,
  receiptToBeSigned,
} from '@blindkeep/protocol/receipt'
import { hex, known, rising } from './inputs.ts'
import { receiptRefusals } from './receiptRefusals.ts'
import { createTestKey, type TestKey } from './testKey.ts'

const FIRST_KEY = createTestKey(0x00)
/** The key after a rotation. */
const SECOND_KEY = createTestKey(0x40)

const hash = (first: number) => known(parseSha256Hex(hex(rising(first, 32))))
const [uploadOfDrop, uploadOfManifest] = [
  '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e10',
  '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e11',
].map((id) => known(parseUploadId(id)))
const dropId = known(parseDropId('0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e12'))
const assetId = known(parseAssetId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e02'))

/** What is the same in all receipts of a test of names: those of one blob. */
export const receiptFields = {
  upload_id: known(uploadOfDrop),
  drop_id: dropId,
  blob_role: 'original',
  ciphertext_hash: hash(1),
  size: 1_050_000,
} as const

type Link = Omit<ReceiptPayload, 'prior_receipt_hash'>

const server = { server_id: 'https://keep.example' } as const
const original = { blob_role: 'original', ciphertext_hash: hash(1), size: 1_050_000 } as const

/** One drop lands, is adopted, and its manifest is uploaded; then a much later receipt. */
const links: readonly Link[] = [
  {
    ...server,
    receipt_seq: 1,
    upload_id: known(uploadOfDrop),
    drop_id: dropId,
    ...original,
    received_at: '2026-03-01T10:20:30.456Z',
  },
  {
    ...server,
    receipt_seq: 2,
    upload_id: known(uploadOfDrop),
    asset_id: assetId,
    ...original,
    received_at: '2026-03-01T10:21:00.000Z',
  },
  {
    ...server,
    receipt_seq: 3,
    upload_id: known(uploadOfManifest),
    asset_id: assetId,
    blob_role: 'provenance',
    ciphertext_hash: hash(2),
    size: 5_000,
    envelope_hash: hash(2),
    received_at: '2026-03-01T10:21:00.000Z',
  },
  {
    ...server,
    receipt_seq: 9_007_199_254_740_991,
    upload_id: known(uploadOfManifest),
    asset_id: assetId,
    blob_role: 'metadata',
    ciphertext_hash: hash(3),
    size: 1,
    received_at: '2026-12-31T23:59:59.999Z',
  },
]

export function issue(payload: ReceiptPayload, key: TestKey = FIRST_KEY): Uint8Array {
  const toBeSigned = receiptToBeSigned(payload, key.keyId)
  return assembleReceipt(toBeSigned, key.sign(toBeSigned))
}

function chainOf(payloads: readonly Link[]): readonly Uint8Array[] {
  const chain: Uint8Array[] = []
  for (const [index, link] of payloads.entries()) {
    const before = chain[index - 1]
    // The last one is signed after a rotation: the chain continues under another key.
    const key = index === payloads.length - 1 ? SECOND_KEY : FIRST_KEY
    chain.push(issue(before === undefined ? link : { ...link, prior_receipt_hash: receiptHash(before) }, key))
  }
  return chain
}

function described(receiptCbor: Uint8Array) {
  const { payload, keyId, hash: ownHash } = decodeReceipt(receiptCbor)
  return { payload, server_key_id: keyId, hash: ownHash, receipt_cbor: toBase64(receiptCbor) }
}

export async function receiptVectors() {
  const chain = chainOf(links)
  const [landing, adoption, manifest] = chain
  const foreign = issue({
    ...known(links[1]),
    server_id: 'https://other.example',
    prior_receipt_hash: receiptHash(known(landing)),
  })
  const unlinked = issue({ ...known(links[1]), prior_receipt_hash: hash(7) })
  const first = issue(known(links[1]))
  const earlier = issue({
    ...known(links[1]),
    received_at: '2026-03-01T10:20:30.455Z',
    prior_receipt_hash: receiptHash(known(landing)),
  })
  const lists = (
    name: string,
    receipts: readonly (Uint8Array | undefined)[],
    whole: boolean,
    breaks?: { index: number; fault: string },
  ) => ({
    name,
    whole,
    receipts: receipts.map((receipt) => toBase64(known(receipt))),
    break: breaks ?? null,
  })
  return {
    keys: [FIRST_KEY.described, SECOND_KEY.described],
    valid: chain.map(described),
    chains: [
      lists('one server’s first three', [landing, adoption, manifest], true),
      lists('an asset’s list with a gap', [landing, manifest], false),
      lists('the same, claimed to be whole', [landing, manifest], true, { index: 1, fault: 'prior_hash_differs' }),
      lists('swapped', [adoption, landing], false, { index: 1, fault: 'sequence_not_rising' }),
      lists('twice the same', [landing, landing], false, { index: 1, fault: 'sequence_not_rising' }),
      lists('another server’s', [landing, foreign], false, { index: 1, fault: 'other_server' }),
      lists('a neighbour that continues from something else', [landing, unlinked], false, {
        index: 1,
        fault: 'prior_hash_differs',
      }),
      lists('a second beginning', [landing, first], false, { index: 1, fault: 'prior_hash_absent' }),
      lists('a clock that went back', [landing, earlier], false, { index: 1, fault: 'time_went_back' }),
    ],
    invalid: receiptRefusals(known(adoption), SECOND_KEY).map(({ name, reason, bytes }) => ({
      name,
      reason,
      receipt_cbor: toBase64(bytes),
    })),
    payload_bytes_of_the_first: toHex(
      receiptToBeSigned(decodeReceipt(known(landing)).payload, FIRST_KEY.keyId).payload,
    ),
  }
}
