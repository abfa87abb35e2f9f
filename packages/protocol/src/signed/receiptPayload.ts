import type { Bytes } from '../bytes.ts'
import type { CoseFault } from '../cose.ts'
import {
  type AssetId,
  type DropId,
  parseAssetId,
  parseDropId,
  parseUploadId,
  type Sha256Hex,
  type UploadId,
} from '../ids.ts'
import { ReasonedError } from '../reasonedError.ts'
import type { BlobRole } from '../schemas/receipts.ts'
import { SERVICE } from '../wire.ts'
import {
  decodeFields,
  encodeFields,
  exactly,
  type FieldFault,
  fieldsOf,
  hash,
  positiveInteger,
  serverId,
  text,
  time,
} from './fields.ts'

export type ReceiptFault = CoseFault | FieldFault | 'too_large'

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
const HASHES = ['prior_receipt_hash', 'ciphertext_hash', 'envelope_hash']

/** The bytes of a payload to sign. Throws `ReceiptError` for a payload that a reader would refuse. */
export function encodePayload(payload: ReceiptPayload): Bytes {
  return encodeFields({ version: VERSION, members: payload, hashes: HASHES }, readFields, ReceiptError)
}

/** Reads the signed bytes. Throws `ReceiptError` for unknown or missing fields and malformed values. */
export function decodePayload(bytes: Uint8Array): ReceiptPayload {
  return readFields(decodeFields(bytes, ReceiptError))
}

const FIELD_NAMES: Readonly<Record<keyof ReceiptPayload | 'version', true>> = {
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

function readFields(fields: ReadonlyMap<unknown, unknown>): ReceiptPayload {
  const { required, optional } = fieldsOf(fields, FIELD_NAMES, ReceiptError)
  required('version', exactly(VERSION))
  const payload: ReceiptPayload = {
    server_id: required('server_id', serverId),
    receipt_seq: required('receipt_seq', positiveInteger),
    ...optional('prior_receipt_hash', hash),
    upload_id: required('upload_id', text(parseUploadId)),
    ...optional('asset_id', text(parseAssetId)),
    ...optional('drop_id', text(parseDropId)),
    blob_role: required('blob_role', role),
    ciphertext_hash: required('ciphertext_hash', hash),
    size: required('size', positiveInteger),
    ...optional('envelope_hash', hash),
    received_at: required('received_at', time),
  }
  requireAgreement(payload)
  return payload
}

function requireAgreement(payload: ReceiptPayload): void {
  if ((payload.asset_id === undefined) === (payload.drop_id === undefined))
    throw new ReceiptError('field_invalid', 'a receipt names either an asset or a drop')
  if (payload.drop_id !== undefined && payload.blob_role !== 'original')
    throw new ReceiptError('field_invalid', 'a drop is always an original')
  if (payload.envelope_hash !== undefined && payload.blob_role !== 'provenance')
    throw new ReceiptError('field_invalid', 'only the receipt of a provenance blob has an envelope_hash')
}

const role = text((value) => (isRole(value) ? value : undefined))

function isRole(value: string): value is BlobRole {
  return Object.hasOwn(ROLES, value)
}
