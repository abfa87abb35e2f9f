import { type Bytes, concatBytes, fromHex, toHex, utf8 } from '@blindkeep/protocol/bytes'
import { type CborValue, encodeCbor, tagged } from '@blindkeep/protocol/cbor'
import { assembleCose, decodeCose } from '@blindkeep/protocol/cose'
import { decodeReceipt, RECEIPT_CONTENT_TYPE, type ReceiptFault } from '@blindkeep/protocol/receipt'
import type { TestKey } from './testKey.ts'

export interface ReceiptRefusal {
  readonly name: string
  readonly reason: ReceiptFault
  readonly bytes: Uint8Array
}

const NONE: CborValue = new Map()

/** Everything here but a changed payload keeps the true signatures, so that only the form is wrong. */
export function receiptRefusals(good: Uint8Array, kid: Bytes, stranger: TestKey): readonly ReceiptRefusal[] {
  return [...formRefusals(good, kid), ...signatureRefusals(good, stranger), ...payloadRefusals(good, kid)]
}

interface Parts {
  readonly tag?: number
  readonly body?: CborValue
  readonly unprotected?: CborValue
  readonly payload?: CborValue
  readonly signers?: readonly CborValue[]
}

function builderOf(good: Uint8Array, kid: Bytes) {
  const message = decodeCose(good, RECEIPT_CONTENT_TYPE)
  const signer = (
    algorithm: CborValue,
    signature: Uint8Array,
    keyId: CborValue = kid,
    unprotected = NONE,
  ): CborValue => [
    encodeCbor(
      new Map<number, CborValue>([
        [1, algorithm],
        [4, keyId],
      ]),
    ),
    unprotected,
    signature,
  ]
  const { ed25519, mlDsa65 } = message.signatures
  const signers = [signer(-19, ed25519), signer(-49, mlDsa65)] as const
  const body = encodeCbor(new Map([[3, RECEIPT_CONTENT_TYPE]]))
  const build = (parts: Parts) =>
    encodeCbor(
      tagged(parts.tag ?? 98, [
        parts.body ?? body,
        parts.unprotected ?? NONE,
        parts.payload === undefined ? message.payload : parts.payload,
        parts.signers ?? signers,
      ]),
    )
  return { message, signer, signers, ed25519, mlDsa65, build }
}

function formRefusals(good: Uint8Array, kid: Bytes): ReceiptRefusal[] {
  const { signer, signers, ed25519, mlDsa65, build } = builderOf(good, kid)
  const [first, second] = signers
  const whole = toHex(good)
  const manifestType = encodeCbor(new Map([[3, 'application/service-manifest+cbor']]))
  return [
    { name: 'nothing', reason: 'not_deterministic', bytes: new Uint8Array(0) },
    { name: 'cut', reason: 'not_deterministic', bytes: good.subarray(0, good.length - 1) },
    { name: 'a byte after it', reason: 'not_deterministic', bytes: concatBytes(good, Uint8Array.of(0)) },
    { name: 'no tag', reason: 'not_cose_sign', bytes: fromHex(whole.slice(4)) },
    { name: 'the tag of COSE_Sign1', reason: 'not_deterministic', bytes: build({ tag: 18 }) },
    {
      name: 'the tag in more bytes than it needs',
      reason: 'not_deterministic',
      bytes: fromHex(`d90062${whole.slice(4)}`),
    },
    { name: 'an indefinite array', reason: 'not_deterministic', bytes: fromHex(`d8629f${whole.slice(6)}ff`) },
    { name: 'a detached payload', reason: 'not_cose_sign', bytes: build({ payload: null }) },
    { name: 'a manifest’s content type', reason: 'content_type', bytes: build({ body: manifestType }) },
    { name: 'an empty protected header', reason: 'content_type', bytes: build({ body: new Uint8Array(0) }) },
    {
      name: 'an unprotected header of the body',
      reason: 'unprotected_not_empty',
      bytes: build({ unprotected: new Map([[4, kid]]) }),
    },
    {
      name: 'an unprotected header of a signature',
      reason: 'unprotected_not_empty',
      bytes: build({ signers: [signer(-19, ed25519, kid, new Map([[5, 1]])), second] }),
    },
    { name: 'no signature', reason: 'signatures', bytes: build({ signers: [] }) },
    { name: 'only Ed25519', reason: 'signatures', bytes: build({ signers: [first] }) },
    { name: 'only ML-DSA-65', reason: 'signatures', bytes: build({ signers: [second] }) },
    { name: 'three signatures', reason: 'signatures', bytes: build({ signers: [first, second, first] }) },
    { name: 'the signatures swapped', reason: 'algorithm', bytes: build({ signers: [second, first] }) },
    { name: 'Ed25519 twice', reason: 'algorithm', bytes: build({ signers: [first, first] }) },
    {
      name: 'EdDSA (-8) for Ed25519 (-19)',
      reason: 'algorithm',
      bytes: build({ signers: [signer(-8, ed25519), second] }),
    },
    {
      name: 'a short signature',
      reason: 'signatures',
      bytes: build({ signers: [first, signer(-49, mlDsa65.subarray(1))] }),
    },
    {
      name: 'a short key id',
      reason: 'key_id',
      bytes: build({ signers: [signer(-19, ed25519, kid.subarray(1)), second] }),
    },
    {
      name: 'two key ids',
      reason: 'key_id',
      bytes: build({ signers: [first, signer(-49, mlDsa65, new Uint8Array(32))] }),
    },
    { name: 'longer than any receipt', reason: 'too_large', bytes: build({ payload: new Uint8Array(16_384) }) },
  ]
}

function signatureRefusals(good: Uint8Array, stranger: TestKey): ReceiptRefusal[] {
  const message = decodeCose(good, RECEIPT_CONTENT_TYPE)
  const foreign = stranger.sign(message)
  const { signatures } = message
  const altered = encodePayload(good, { size: 1_050_001 })
  return [
    {
      name: 'Ed25519 by another key',
      reason: 'ed25519_invalid',
      bytes: assembleCose(message, { ...signatures, ed25519: foreign.ed25519 }),
    },
    {
      name: 'ML-DSA-65 by another key',
      reason: 'ml_dsa_65_invalid',
      bytes: assembleCose(message, { ...signatures, mlDsa65: foreign.mlDsa65 }),
    },
    {
      name: 'another size under the same signatures',
      reason: 'ed25519_invalid',
      bytes: assembleCose({ ...message, payload: altered }, signatures),
    },
    {
      name: 'a key id that is not published',
      reason: 'key_unknown',
      bytes: assembleCose({ ...message, keyId: '5a'.repeat(32) }, signatures),
    },
  ]
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

function payloadRefusals(good: Uint8Array, kid: Bytes): ReceiptRefusal[] {
  const { build, message } = builderOf(good, kid)
  const changed = (
    name: string,
    reason: ReceiptFault,
    changes: Readonly<Record<string, CborValue | undefined>>,
  ): ReceiptRefusal => ({
    name: `payload: ${name}`,
    reason,
    bytes: build({ payload: encodePayload(good, changes) }),
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
