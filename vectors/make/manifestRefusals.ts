import { type Bytes, fromHex, toHex, utf8 } from '@blindkeep/protocol/bytes'
import { type CborValue, encodeCbor } from '@blindkeep/protocol/cbor'
import { assembleCose, coseToBeSigned } from '@blindkeep/protocol/cose'
import { decodeManifest, MANIFEST_CONTENT_TYPE, type ManifestFault } from '@blindkeep/protocol/manifest'
import { RECEIPT_CONTENT_TYPE } from '@blindkeep/protocol/receipt'
import { type CoseOrigin, coseFormRefusals, coseSignatureRefusals } from './coseRefusals.ts'
import type { TestKey } from './testKey.ts'

export interface ManifestRefusal {
  readonly name: string
  readonly reason: ManifestFault
  readonly bytes: Uint8Array
}

/** Valid manifests. */
interface GoodManifests {
  readonly created: Uint8Array
  readonly adopted: Uint8Array
  readonly replaced: Uint8Array
}

interface Signers {
  /** Has signed the valid manifests. */
  readonly device: TestKey
  readonly stranger: TestKey
}

type Changes = Readonly<Record<string, CborValue | undefined>>

export function manifestRefusals(good: GoodManifests, { device, stranger }: Signers): readonly ManifestRefusal[] {
  const origin: CoseOrigin = { good: good.created, contentType: MANIFEST_CONTENT_TYPE }
  return [
    ...coseFormRefusals(origin, { name: 'a receipt’s content type', contentType: RECEIPT_CONTENT_TYPE }),
    ...coseSignatureRefusals(origin, stranger, {
      name: 'another size under the same signatures',
      payload: payloadOf(good.created, { plaintext_size: 1_050_001 }),
    }),
    ...payloadRefusals(good, device).map(({ name, ...refusal }) => ({ name: `payload: ${name}`, ...refusal })),
  ]
}

function payloadOf(good: Uint8Array, changes: Changes): Bytes {
  const { envelope, wrappedKey } = decodeManifest(good)
  const fields = new Map<string, CborValue>()
  for (const [name, value] of Object.entries({ ...envelope, wrapped_key: wrappedKey, ...changes }))
    if (value !== undefined) fields.set(name, value)
  return encodeCbor(fields)
}

/** All have valid signatures of the device, so that only the payload is wrong. */
function payloadRefusals(good: GoodManifests, device: TestKey): ManifestRefusal[] {
  const signed = (payload: Uint8Array): Bytes => {
    const toBeSigned = coseToBeSigned({ contentType: MANIFEST_CONTENT_TYPE, payload, keyId: device.keyId })
    return assembleCose(toBeSigned, device.sign(toBeSigned))
  }
  const changed = (origin: Uint8Array) => (name: string, reason: ManifestFault, changes: Changes) => ({
    name,
    reason,
    bytes: signed(payloadOf(origin, changes)),
  })
  const [create, adoption, replace] = [changed(good.created), changed(good.adopted), changed(good.replaced)]
  const invalid = (name: string, changes: Changes) => create(name, 'field_invalid', changes)
  const { ciphertext_hash } = decodeManifest(good.created).envelope
  return [
    ...encodingRefusals(payloadOf(good.created, {})).map(({ name, payload }) => ({
      name,
      reason: 'payload_not_deterministic' as const,
      bytes: signed(payload),
    })),
    create('longer than any manifest', 'too_large', { timestamp: `2026-03-01T10:20:30.${'0'.repeat(61_500)}Z` }),
    { name: 'no map', reason: 'field_invalid', bytes: signed(encodeCbor([])) },
    { name: 'bytes', reason: 'field_invalid', bytes: signed(encodeCbor(utf8('x'))) },
    create('an unknown field', 'unknown_field', { name: 'holiday.jpg' }),
    create('no crypto_suite_id', 'missing_field', { crypto_suite_id: undefined }),
    create('no created_by_device', 'missing_field', { created_by_device: undefined }),
    create('no timestamp', 'missing_field', { timestamp: undefined }),
    invalid('a suite as text', { crypto_suite_id: '1' }),
    create('suite 2', 'suite_unknown', { crypto_suite_id: 2 }),
    invalid('a protocol version that is no date', { protocol_version: '2026-02-30' }),
    invalid('an album_id that is null', { album_id: null }),
    invalid('a file_id in capitals', { file_id: '0192E8A4-7C4E-7D1A-9B1E-3F2A5C6D7E02' }),
    invalid('a file_id as bytes', { file_id: new Uint8Array(16) }),
    invalid('amk_version 0', { amk_version: 0 }),
    invalid('a hash as bytes, as receipts have them', { ciphertext_hash: fromHex(ciphertext_hash) }),
    invalid('a hash in capitals', { metadata_blob_hash: 'AB'.repeat(32) }),
    invalid('a negative size', { plaintext_size: -1 }),
    invalid('a size and a half', { plaintext_size: 1.5 }),
    invalid('chunk_size 0', { chunk_size: 0 }),
    invalid('an unknown key_mode', { key_mode: 'shared' }),
    invalid('no characters of client_version', { client_version: '' }),
    invalid('201 characters of client_version', { client_version: 'x'.repeat(201) }),
    invalid('a time without an offset', { timestamp: '2026-03-01T10:20:30.456' }),
    invalid('a time as a number', { retention_until: 1_772_360_430 }),
    invalid('an unknown action', { action: 'delete' }),
    adoption('a wrapped_key as text', 'field_invalid', { wrapped_key: 'ab'.repeat(32) }),
    adoption('a wrapped_key of no bytes', 'field_invalid', { wrapped_key: new Uint8Array(0) }),
    adoption('a wrapped_key of 4097 bytes', 'field_invalid', { wrapped_key: new Uint8Array(4097) }),
    adoption('wrapped without a wrapped_key', 'fields_disagree', { wrapped_key: undefined }),
    adoption('derived with a wrapped_key', 'fields_disagree', { key_mode: 'derived' }),
    create('a create that continues from something', 'fields_disagree', { prior_provenance_hash: 'ab'.repeat(32) }),
    replace('a replace without original_blob_hash', 'fields_disagree', { original_blob_hash: undefined }),
    create('two hashes of one original', 'fields_disagree', { original_blob_hash: 'ab'.repeat(32) }),
  ]
}

/** Other encodings of the same fields, and encodings with invalid texts or maps. */
function encodingRefusals(payload: Uint8Array): { readonly name: string; readonly payload: Bytes }[] {
  const hex = toHex(payload)
  const size = toHex(encodeCbor('plaintext_size'))
  const action = `${toHex(encodeCbor('action'))}${toHex(encodeCbor('create'))}`
  const version = toHex(encodeCbor('blindkeep-web 0.1.0'))
  const entries = hex.slice(2)
  const count = Number.parseInt(hex.slice(0, 2), 16)
  const swap = (name: string, from: string, to: string) => {
    if (hex.split(from).length !== 2) throw new Error(`${name}: the bytes to swap do not occur exactly once`)
    return { name, payload: fromHex(hex.replace(from, to)) }
  }
  return [
    swap('a number in more bytes than it needs', `${size}1a00100590`, `${size}1b0000000000100590`),
    swap('a number as float', `${size}1a00100590`, `${size}fa49802c80`),
    swap('a number beyond 2^53-1', `${size}1a00100590`, `${size}1b0020000000000000`),
    swap('text in chunks', version, `7f${version}ff`),
    swap('text that is not UTF-8', version, `${version.slice(0, 2)}ff${version.slice(4)}`),
    swap('a byte order mark before a text', version, `${version.slice(0, 2)}efbbbf${version.slice(8)}`),
    swap('a tagged text', version, `c0${version}`),
    { name: 'keys out of order', payload: fromHex(hex.slice(0, 2) + entries.replace(action, '') + action) },
    { name: 'a key that stands twice', payload: fromHex((count + 1).toString(16) + action + entries) },
    { name: 'an indefinite map', payload: fromHex(`bf${entries}ff`) },
    { name: 'nothing', payload: new Uint8Array(0) },
  ]
}
