/** Checks receipts, and believes neither them nor the keys before everything agrees with everything else. */
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type DecodedReceipt, ReceiptError, readReceipt, verifyReceipt } from '@blindkeep/protocol/receipt'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { type Environment, systemEnvironment } from '../environment.ts'
import { type Calls, createCalls } from '../http/call.ts'
import { verifiers } from '../seal/signatures.ts'
import { AuditError } from './auditError.ts'
import { type PinnedKeys, pinKeys, requireActiveAt } from './pins.ts'

export { AuditError, type AuditReason } from './auditError.ts'
export type { PinnedKey, PinnedKeys } from './pins.ts'

/** What the sender knows of its own upload. */
export interface ExpectedCustody {
  /** SHA-256 of the sealed file, lowercase hex. */
  readonly ciphertextHash: string
  /** Bytes of the sealed file. */
  readonly size: number
  readonly uploadId: string
  /** Known to the owner of the inbox, not to the guest. */
  readonly dropId?: string | undefined
}

export interface ReceiptCheck {
  readonly receipt: AssetReceipt
  readonly keys: PinnedKeys
  /** The origin that the receipt has to name. */
  readonly serverId: string
  readonly expected: ExpectedCustody
}

/**
 * Resolves with what the signed bytes say when they are one well-formed receipt, signed by both halves of a published key while it was the active one,
 * the answer's other fields are a true reading of them, and they are about these bytes on this server. Throws `AuditError`, whose reason tells what was caught.
 */
export async function checkReceipt({ expected, ...check }: ReceiptCheck): Promise<DecodedReceipt> {
  const decoded = await openReceipt(check)
  requireExpected(decoded, expected)
  return decoded
}

/** The same, whatever the bytes are that the receipt is about: those are the caller's to compare. */
export async function openReceipt({
  receipt,
  keys,
  serverId,
}: Omit<ReceiptCheck, 'expected'>): Promise<DecodedReceipt> {
  const receiptCbor = cborOf(receipt)
  const reading = orRefuse(() => readReceipt(receiptCbor))
  const key = keys.keys.find(({ keyId }) => keyId === reading.server_key_id)
  if (key === undefined)
    throw new AuditError('unknown_key', 'the receipt is signed by a key that the server does not publish')
  const decoded = await verified(receiptCbor, fromBase64(key.public))
  requireSameReading(receipt, reading)
  if (decoded.payload.server_id !== serverId) throw new AuditError('wrong_server', 'the receipt is another server’s')
  requireActiveAt(key, decoded.payload.received_at)
  return decoded
}

function cborOf(receipt: AssetReceipt): Uint8Array {
  try {
    return fromBase64(receipt.receipt_cbor)
  } catch (cause) {
    throw new AuditError('receipt_malformed', 'receipt_cbor is not base64', { cause })
  }
}

function orRefuse<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw auditErrorOf(error)
  }
}

async function verified(receiptCbor: Uint8Array, publicKey: Uint8Array): Promise<DecodedReceipt> {
  try {
    return await verifyReceipt({ receiptCbor, publicKey, verify: verifiers })
  } catch (error) {
    throw auditErrorOf(error)
  }
}

function auditErrorOf(error: unknown): unknown {
  if (!(error instanceof ReceiptError)) return error
  const { reason, message } = error
  if (reason === 'ed25519_invalid' || reason === 'ml_dsa_65_invalid')
    return new AuditError('signature_invalid', `the receipt is not what the server signed: ${message}`, {
      cause: error,
    })
  return new AuditError('receipt_malformed', `these bytes are no receipt: ${message}`, { cause: error })
}

/** The signed bytes alone count, so a field beside them that says something else is there to mislead (specification, AssetReceipt, receipt_cbor). */
function requireSameReading(receipt: AssetReceipt, reading: AssetReceipt): void {
  const names = [
    'receipt_seq',
    'server_id',
    'server_key_id',
    'prior_receipt_hash',
    'upload_id',
    'blob_role',
    'ciphertext_hash',
    'size',
    'envelope_hash',
    'received_at',
  ] as const
  // An optional field may be absent or null (specification, Resources).
  const differing = names.find((name) => (receipt[name] ?? undefined) !== (reading[name] ?? undefined))
  if (differing !== undefined)
    throw new AuditError('reading_differs', `the receipt is told with another ${differing} than its signed bytes have`)
}

function requireExpected({ payload }: DecodedReceipt, expected: ExpectedCustody): void {
  if (payload.ciphertext_hash !== expected.ciphertextHash)
    throw new AuditError('wrong_hash', 'the receipt is for other bytes than those that were sent')
  if (payload.size !== expected.size)
    throw new AuditError('wrong_size', 'the receipt is for another size than what was sent')
  if (payload.upload_id !== expected.uploadId) throw new AuditError('wrong_upload', 'the receipt is for another upload')
  if (expected.dropId !== undefined && payload.drop_id !== expected.dropId)
    throw new AuditError('wrong_drop', 'the receipt is for another drop')
}

export interface ServerFacts {
  /** The canonical origin that receipts name. */
  readonly serverId: string
  readonly keys: PinnedKeys
}

/**
 * Who the server says it is and the keys that it signs receipts with, compared with the address it was asked at and with what was `pinned` before.
 * Throws `AuditError` as `pinKeys` does, or `wrong_server` when it names another origin than its own.
 */
export async function auditServer({ baseUrl, call }: Calls, pinned?: PinnedKeys): Promise<ServerFacts> {
  const { body: info } = await call('serverInfo')
  if (info.server_id !== new URL(baseUrl).origin)
    throw new AuditError('wrong_server', 'the server names another origin than the one it was asked at')
  const { body: published } = await call('attestationKeys')
  return { serverId: info.server_id, keys: pinKeys(published, info.server_id, pinned) }
}

/** What a guest keeps of a landed drop; none of it is secret but `opaqueId`, which is the link's credential. */
export interface DropCustody extends ExpectedCustody {
  readonly baseUrl: string
  readonly opaqueId: string
}

export interface ReceiptOptions {
  readonly custody: DropCustody
  /** Keys seen before on this server. */
  readonly pinned?: PinnedKeys | undefined
  readonly environment?: Environment | undefined
}

export interface CheckedReceipt {
  /** As the server gave it; keep it whole. */
  readonly receipt: AssetReceipt
  /** What its signed bytes say. */
  readonly signed: DecodedReceipt
  /** To pin from now on. */
  readonly keys: PinnedKeys
}

/** Fetches the receipt of a landed drop, which the server gives out for 30 days, and checks all of it. Throws `AuditError`, or what a call throws. */
export async function fetchReceipt({ custody, pinned, environment }: ReceiptOptions): Promise<CheckedReceipt> {
  const { fetch } = environment ?? systemEnvironment
  const calls = createCalls({ baseUrl: custody.baseUrl, fetch })
  const path = { opaque_id: custody.opaqueId, upload_id: custody.uploadId }
  const { body: receipt } = await calls.call('guestReceipt', { path })
  const { serverId, keys } = await auditServer(calls, pinned)
  const signed = await checkReceipt({ receipt, keys, serverId, expected: custody })
  return { receipt, signed, keys }
}
