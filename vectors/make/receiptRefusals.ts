import { type Bytes, fromHex, toHex, utf8 } from '@blindkeep/protocol/bytes'
import { type CborValue, encodeCbor } from '@blindkeep/protocol/cbor'
import { decodeReceipt, RECEIPT_CONTENT_TYPE, type ReceiptFault } from '@blindkeep/protocol/receipt'
import { type CoseOrigin, coseFormRefusals, coseSignatureRefusals, createForger } from './coseRefusals.ts'
import type { TestKey } from './testKey.ts'

interface ReceiptRefusal {
  readonly name: string
  readonly reason: ReceiptFault
  readonly bytes: Uint8Array
}

/** All keep the valid signatures, so that only the form or the payload is wrong. */
export function receiptRefusals(good: Uint8Array, stranger: TestKey): readonly ReceiptRefusal[] {
  const origin: CoseOrigin = { good, contentType: RECEIPT_CONTENT_TYPE }
  return [
    ...coseFormRefusals(origin, {
      name: 'a manifest’s content type',
      contentType: 'application/service-manifest+cbor',
    }),
    tooLong(origin),
    ...coseSignatureRefusals(origin, stranger, {
      name: 'another size under the same signatures',
      payload: encodePayload(good, { size: 1_050_001 }),
    }),
    ...payloadRefusals(origin),
  ]
}

function tooLong(origin: CoseOrigin): ReceiptRefusal {
  const bytes = createForger(origin).build({ payload: new Uint8Array(16_384) })
  return { name: 'longer than any receipt', reason: 'too_large', bytes }
}

function encodePayload(good: Uint8Array, changes: Readonly<Record<string, CborValue | undefined>>): Bytes {
  const { payload } = decodeReceipt(good)
  const fields = new Map<string, CborValue>([['version', 'service/receipt/1']])
  for (const [name, value] of Object.entries(payload))
    fields.set(name, name.endsWith('_hash') ? fromHex(String(value)) : value)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) fields.delete(name)
    else fields.set(name, value)
  }
  return encodeCbor(fields)
}

function payloadRefusals(origin: CoseOrigin): ReceiptRefusal[] {
  const { build, message } = createForger(origin)
  const changed = (
    name: string,
    reason: ReceiptFault,
    changes: Readonly<Record<string, CborValue | undefined>>,
  ): ReceiptRefusal => ({
    name: `payload: ${name}`,
    reason,
    bytes: build({ payload: encodePayload(origin.good, changes) }),
  })
  const hex = toHex(message.payload)
  const size = toHex(encodeCbor('size'))
  const longSize = hex.replace(`${size}1a00100590`, `${size}1b0000000000100590`)
  const swapped = `${hex.replace(`${size}1a00100590`, '')}${size}1a00100590`
  return [
    changed('an unknown field', 'unknown_field', { opaque_id: 'ab'.repeat(16) }),
    changed('no version', 'missing_field', { version: undefined }),
    changed('version 2', 'field_invalid', { version: 'service/receipt/2' }),
    changed('no server_id', 'missing_field', { server_id: undefined }),
    changed('a server_id with a path', 'field_invalid', { server_id: 'https://keep.example/' }),
    changed('receipt_seq 0', 'field_invalid', { receipt_seq: 0 }),
    changed('an upload_id in capitals', 'field_invalid', { upload_id: '0192E8A4-7C4E-4D1A-9B1E-3F2A5C6D7E10' }),
    changed('neither asset nor drop', 'field_invalid', { asset_id: undefined }),
    changed('asset and drop', 'field_invalid', { drop_id: '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e12' }),
    changed('an unknown role', 'field_invalid', { blob_role: 'unknown' }),
    changed('a hash as hex text', 'field_invalid', { ciphertext_hash: 'ab'.repeat(32) }),
    changed('a prior hash that is null', 'field_invalid', { prior_receipt_hash: null }),
    changed('an envelope hash on an original', 'field_invalid', { envelope_hash: new Uint8Array(32) }),
    changed('size 0', 'field_invalid', { size: 0 }),
    changed('a time without milliseconds', 'field_invalid', { received_at: '2026-03-01T10:21:00Z' }),
    {
      name: 'payload: a number in more bytes than it needs',
      reason: 'payload_not_deterministic',
      bytes: build({ payload: fromHex(longSize) }),
    },
    {
      name: 'payload: keys out of order',
      reason: 'payload_not_deterministic',
      bytes: build({ payload: fromHex(swapped) }),
    },
    { name: 'payload: no map', reason: 'field_invalid', bytes: build({ payload: encodeCbor([]) }) },
    { name: 'payload: bytes', reason: 'field_invalid', bytes: build({ payload: encodeCbor(utf8('x')) }) },
  ]
}
