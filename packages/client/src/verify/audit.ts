/** Checks receipts and the keys that sign them. Accepts neither unless everything is consistent. */
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type EraFault, eraFault } from '@blindkeep/protocol/eras'
import { type DecodedReceipt, ReceiptError, readReceipt, verifyReceipt } from '@blindkeep/protocol/receipt'
import { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { readAnswer } from '../http/answer.ts'
import { addressOf, type ServerAddress } from '../http/baseUrl.ts'
import { type Calls, createCalls } from '../http/call.ts'
import { AnswerError, ProblemError } from '../http/errors.ts'
import { requireOwnName } from '../http/ownAddress.ts'
import { verifiers } from '../seal/signatures.ts'
import { AuditError, type AuditReason } from './auditError.ts'
import { erasOf, ListsMisfit, withKeyChanges } from './keyChanges.ts'
import type { PinnedKeys } from './pinnedKeys.ts'
import { pinKeys, pinReceipts, requireActiveAt } from './pins.ts'

export { AuditError, type AuditReason } from './auditError.ts'
export type { PinnedKey, PinnedKeys } from './pinnedKeys.ts'

/** Reads a receipt that was kept; unverified. Throws `RangeError` for anything else. */
export function parseReceipt(json: unknown): AssetReceipt {
  const read = readAnswer(AssetReceipt, json)
  if (read.fault !== undefined) throw new RangeError(`This is not a receipt: ${read.fault}.`)
  return read.value
}

/** What the sender knows about its own upload. */
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
  /** The origin of the server now. With `keyChanges`, a receipt must name what the server was called in its time. */
  readonly serverId: string
  readonly expected: ExpectedCustody
}

/**
 * Resolves with the content of the signed bytes if: they are one well-formed receipt; both halves of a published key
 * signed it while that key was active; the other fields of the answer agree with the signed bytes; and they are about
 * the expected bytes on this server. Otherwise throws `AuditError`; its reason says what is wrong.
 */
export async function checkReceipt({ expected, ...check }: ReceiptCheck): Promise<DecodedReceipt> {
  const decoded = await openReceipt(check)
  requireExpected(decoded, expected)
  return decoded
}

/** The same without comparing the content: the caller does that. */
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
  await requireOfServer(decoded, keys, serverId)
  requireActiveAt(key, decoded.payload.received_at)
  return decoded
}

/** Not a false signature: what the server says of its own log is at fault. */
const DENIED =
  'the key of the receipt signed it while it was active, but the server states that its receipts of that time were others: it has forgotten or denies what it signed, or the key was stolen'

const ERA_FAULTS: Readonly<Record<EraFault, readonly [AuditReason, string]>> = {
  key_unknown: ['unknown_key', 'the receipt is signed by a key of which the server does not say when it began'],
  other_server: ['wrong_server', 'the receipt names another server than its key signs for'],
  outside_era: ['outside_era', DENIED],
  head_differs: ['outside_era', DENIED],
}

/** The key of a receipt says which name and which numbers it may have, if the server publishes statements. */
async function requireOfServer(decoded: DecodedReceipt, keys: PinnedKeys, serverId: string): Promise<void> {
  const eras = await erasOf(keys)
  const fault = eras && eraFault(decoded, eras)
  if (fault !== undefined) throw new AuditError(...ERA_FAULTS[fault])
  if (eras === undefined && decoded.payload.server_id !== serverId)
    throw new AuditError('wrong_server', 'the receipt is from another server')
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
    return new AuditError('signature_invalid', `the server did not sign this receipt: ${message}`, {
      cause: error,
    })
  return new AuditError('receipt_malformed', `these bytes are not a receipt: ${message}`, { cause: error })
}

/** Only signed bytes count; a differing field beside them misleads (specification, AssetReceipt, receipt_cbor). */
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
    throw new AuditError('reading_differs', `the field ${differing} beside the receipt differs from its signed bytes`)
}

function requireExpected({ payload }: DecodedReceipt, expected: ExpectedCustody): void {
  if (payload.ciphertext_hash !== expected.ciphertextHash)
    throw new AuditError('wrong_hash', 'the receipt is for other bytes than the ones sent')
  if (payload.size !== expected.size)
    throw new AuditError('wrong_size', 'the receipt is for another size than the one sent')
  if (payload.upload_id !== expected.uploadId) throw new AuditError('wrong_upload', 'the receipt is for another upload')
  if (expected.dropId !== undefined && payload.drop_id !== expected.dropId)
    throw new AuditError('wrong_drop', 'the receipt is for another drop')
}

export interface ServerFacts {
  /** The canonical origin that new receipts name. */
  readonly serverId: string
  readonly keys: PinnedKeys
}

/**
 * The server's identity and the keys that sign its receipts, compared with its address and with the `pinned` keys, and
 * its statements about them. Throws like `pinKeys` and `withKeyChanges`, or `AddressError` when the server names
 * another origin than its address.
 */
export async function auditServer(calls: Calls, pinned?: PinnedKeys): Promise<ServerFacts> {
  try {
    return await auditOnce(calls, pinned)
  } catch (error) {
    if (!(error instanceof ListsMisfit)) throw error
    // A key may have begun between the two questions.
    return await auditOnce(calls, pinned)
  }
}

async function auditOnce(calls: Calls, pinned: PinnedKeys | undefined): Promise<ServerFacts> {
  const { call } = calls
  const serverId = await requireOwnName(calls, 'receipts')
  const { body: published } = await call('attestationKeys')
  return { serverId, keys: await withKeyChanges({ call }, pinKeys(published, serverId, pinned)) }
}

/** What a guest stores about a landed drop. SECRET is only `opaqueId`, the credential of the link. */
export interface DropCustody extends ExpectedCustody, ServerAddress {
  readonly opaqueId: string
}

export interface ReceiptOptions {
  readonly custody: DropCustody
  /** Keys that were pinned before for this server. */
  readonly pinned?: PinnedKeys | undefined
  readonly environment?: Environment | undefined
}

export interface CheckedReceipt {
  /** The server's answer; store it whole. */
  readonly receipt: AssetReceipt
  /** The content of its signed bytes. */
  readonly signed: DecodedReceipt
  /** The keys to pin from now on. */
  readonly keys: PinnedKeys
}

/**
 * Whether the server has the receipt of a drop that has landed. Does not check the receipt: call it once the receipt
 * has been checked. The answer is the same after the owner has adopted or discarded the drop or ended the link,
 * until 30 days after the landing; then it is no. Throws what a call throws, and `AnswerError` for the receipt of
 * another upload.
 */
export async function hasReceipt({ custody, environment }: Omit<ReceiptOptions, 'pinned'>): Promise<boolean> {
  const { fetch } = environment ?? systemEnvironment
  const { call } = createCalls({ ...addressOf(custody), fetch })
  try {
    const { body } = await call('guestReceipt', { path: { opaque_id: custody.opaqueId, upload_id: custody.uploadId } })
    if (body.upload_id !== custody.uploadId || body.ciphertext_hash !== custody.ciphertextHash)
      throw new AnswerError('guestReceipt', 'it is about another upload')
    return true
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'error.upload.session_not_found') return false
    throw error
  }
}

/** Fetches and checks a landed drop's receipt, there for 30 days. Throws like `auditServer` and `checkReceipt`. */
export async function fetchReceipt({ custody, pinned, environment }: ReceiptOptions): Promise<CheckedReceipt> {
  const { fetch } = environment ?? systemEnvironment
  const calls = createCalls({ ...addressOf(custody), fetch })
  const path = { opaque_id: custody.opaqueId, upload_id: custody.uploadId }
  const { body: receipt } = await calls.call('guestReceipt', { path })
  const { serverId, keys } = await auditServer(calls, pinned)
  const signed = await checkReceipt({ receipt, keys, serverId, expected: custody })
  return { receipt, signed, keys: pinReceipts(keys, [signed]) }
}
