import { type Bytes, fromHex, toHex } from './bytes.ts'
import { CborError, type CborValue, decodeCbor, encodeCbor } from './cbor.ts'
import type { CoseFault } from './cose.ts'
import {
  type AssetId,
  type DropId,
  formatInstant,
  parseAssetId,
  parseDropId,
  parseInstant,
  parseSha256Hex,
  parseUploadId,
  type Sha256Hex,
  type UploadId,
} from './ids.ts'
import { ReasonedError } from './reasonedError.ts'
import type { BlobRole } from './schemas/receipts.ts'
import { MAX_INTEGER, SERVICE } from './wire.ts'

export type ReceiptFault =
  | CoseFault
  | 'payload_not_deterministic'
  | 'unknown_field'
  | 'missing_field'
  | 'field_invalid'
  | 'too_large'

/** Not a receipt, or not signed by this key. `reason` is for programs, the message for people. */
export class ReceiptError extends ReasonedError<ReceiptFault> {
  override readonly name = 'ReceiptError'
}

/**
 * What the server signs, with the names of the specification's AssetReceipt. Hashes are lowercase hex here and byte
 * strings in the signed bytes. A receipt is for an asset's blob or for a landed drop, so it has exactly one of
 * `asset_id` and `drop_id`. It never names a link or an account.
 */
export interface ReceiptPayload {
  /** The server's canonical origin. */
  readonly server_id: string
  /** At least 1, strictly rising over all receipts of one server. */
  readonly receipt_seq: number
  /** SHA-256 of the previous receipt; absent in the server's first. */
  readonly prior_receipt_hash?: Sha256Hex | undefined
  readonly upload_id: UploadId
  readonly asset_id?: AssetId | undefined
  readonly drop_id?: DropId | undefined
  readonly blob_role: BlobRole
  readonly ciphertext_hash: Sha256Hex
  /** Ciphertext bytes, at least 1. */
  readonly size: number
  /** SHA-256 of the signed manifest; only in the receipt of a provenance blob. */
  readonly envelope_hash?: Sha256Hex | undefined
  /** UTC with milliseconds. */
  readonly received_at: string
}

/** Format and version within the signed bytes: the signature is valid for nothing else that the key signs. */
const VERSION = `${SERVICE}/receipt/1`
/** The compiler checks them against the schemas, whose library would enter the guest's bundle. */
const ROLES: Readonly<Record<BlobRole, true>> = { original: true, derivative: true, metadata: true, provenance: true }
const MAX_SERVER_ID_LENGTH = 300
/** A canonical origin (RFC 6454, section 6.2): scheme, host and port, lowercase, no path. */
const origin = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[1-9][0-9]{0,4})?$/

type FieldName = keyof ReceiptPayload | 'version'

/** The bytes of a payload to sign. Throws `ReceiptError` for a payload that a reader would refuse. */
export function encodePayload(payload: ReceiptPayload): Bytes {
  const fields = new Map<string, CborValue>([
    ['version', VERSION],
    ['server_id', payload.server_id],
    ['receipt_seq', payload.receipt_seq],
    ['upload_id', payload.upload_id],
    ['blob_role', payload.blob_role],
    ['ciphertext_hash', hashBytes(payload.ciphertext_hash)],
    ['size', payload.size],
    ['received_at', payload.received_at],
  ])
  const { asset_id, drop_id, prior_receipt_hash, envelope_hash } = payload
  if (asset_id !== undefined) fields.set('asset_id', asset_id)
  if (drop_id !== undefined) fields.set('drop_id', drop_id)
  if (prior_receipt_hash !== undefined) fields.set('prior_receipt_hash', hashBytes(prior_receipt_hash))
  if (envelope_hash !== undefined) fields.set('envelope_hash', hashBytes(envelope_hash))
  readFields(fields)
  return encodeCbor(fields)
}

function hashBytes(hex: Sha256Hex): Bytes {
  try {
    return fromHex(hex)
  } catch (cause) {
    throw new ReceiptError('field_invalid', 'a hash is not lowercase hex', { cause })
  }
}

/** Reads the signed bytes. Throws `ReceiptError` for unknown or missing fields and malformed values. */
export function decodePayload(bytes: Uint8Array): ReceiptPayload {
  let fields: unknown
  try {
    fields = decodeCbor(bytes)
  } catch (cause) {
    if (!(cause instanceof CborError)) throw cause
    throw new ReceiptError('payload_not_deterministic', `payload: ${cause.message}`, { cause })
  }
  if (!(fields instanceof Map)) throw new ReceiptError('field_invalid', 'the payload is not a map')
  return readFields(fields)
}

function readFields(fields: ReadonlyMap<unknown, unknown>): ReceiptPayload {
  refuseUnknown(fields)
  required(fields, 'version', (value) => (value === VERSION ? VERSION : undefined))
  const payload: ReceiptPayload = {
    server_id: required(fields, 'server_id', originOf),
    receipt_seq: required(fields, 'receipt_seq', positiveInteger),
    ...optional(fields, 'prior_receipt_hash', hash),
    upload_id: required(fields, 'upload_id', text(parseUploadId)),
    ...optional(fields, 'asset_id', text(parseAssetId)),
    ...optional(fields, 'drop_id', text(parseDropId)),
    blob_role: required(fields, 'blob_role', role),
    ciphertext_hash: required(fields, 'ciphertext_hash', hash),
    size: required(fields, 'size', positiveInteger),
    ...optional(fields, 'envelope_hash', hash),
    received_at: required(fields, 'received_at', instant),
  }
  requireAgreement(payload)
  return payload
}

const FIELD_NAMES: Readonly<Record<FieldName, true>> = {
  version: true,
  server_id: true,
  receipt_seq: true,
  prior_receipt_hash: true,
  upload_id: true,
  asset_id: true,
  drop_id: true,
  blob_role: true,
  ciphertext_hash: true,
  size: true,
  envelope_hash: true,
  received_at: true,
}

function refuseUnknown(fields: ReadonlyMap<unknown, unknown>): void {
  for (const name of fields.keys()) {
    if (typeof name !== 'string' || !Object.hasOwn(FIELD_NAMES, name))
      throw new ReceiptError('unknown_field', 'the payload has an unknown field')
  }
}

function requireAgreement(payload: ReceiptPayload): void {
  if ((payload.asset_id === undefined) === (payload.drop_id === undefined))
    throw new ReceiptError('field_invalid', 'a receipt names either an asset or a drop')
  if (payload.drop_id !== undefined && payload.blob_role !== 'original')
    throw new ReceiptError('field_invalid', 'a drop is always an original')
  if (payload.envelope_hash !== undefined && payload.blob_role !== 'provenance')
    throw new ReceiptError('field_invalid', 'only the receipt of a provenance blob has an envelope_hash')
}

type Reader<Value> = (value: unknown) => Value | undefined

function required<Value>(fields: ReadonlyMap<unknown, unknown>, name: FieldName, read: Reader<Value>): Value {
  if (!fields.has(name)) throw new ReceiptError('missing_field', `the payload has no ${name}`)
  const value = read(fields.get(name))
  if (value === undefined) throw new ReceiptError('field_invalid', `${name} is malformed`)
  return value
}

function optional<Name extends FieldName, Value>(
  fields: ReadonlyMap<unknown, unknown>,
  name: Name,
  read: Reader<Value>,
): { readonly [Key in Name]?: Value } {
  if (!fields.has(name)) return {}
  const found: { [Key in Name]?: Value } = {}
  found[name] = required(fields, name, read)
  return found
}

const text =
  <Value>(parse: (text: string) => Value | undefined): Reader<Value> =>
  (value) =>
    typeof value === 'string' ? parse(value) : undefined

const originOf = text((value) => (value.length <= MAX_SERVER_ID_LENGTH && origin.test(value) ? value : undefined))

/** Exactly the form of answers, so that an instant has one encoding. */
const instant = text((value) => {
  const at = parseInstant(value)
  return at !== undefined && formatInstant(at) === value ? value : undefined
})

const role: Reader<BlobRole> = text((value) => (isRole(value) ? value : undefined))

function isRole(value: string): value is BlobRole {
  return Object.hasOwn(ROLES, value)
}

function positiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_INTEGER ? value : undefined
}

function hash(value: unknown): Sha256Hex | undefined {
  return value instanceof Uint8Array ? parseSha256Hex(toHex(value)) : undefined
}
