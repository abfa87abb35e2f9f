import { createHash } from 'node:crypto'
import type { HybridVerifiers } from '@blindkeep/protocol/cose'
import { type Era, eraFault } from '@blindkeep/protocol/eras'
import { formatInstant, type KeyId, parseInstant, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { type DecodedReceipt, decodeReceipt, ReceiptError, verifyReceipt } from '@blindkeep/protocol/receipt'
import type { AttestationKey, AuditedReceipt } from '../../ports/store.ts'
import { createFinding, type Finding, findBroken, type Where } from './finding.ts'
import type { Examination, LogPlace } from './options.ts'

/** What a receipt is compared with, beside its own row. */
export interface LogContext {
  /** Undefined for the first of the log. */
  readonly before: LogPlace | undefined
  readonly keys: readonly AttestationKey[]
  /** The names of the keys, and the receipts that each may have signed. */
  readonly eras: readonly Era[]
  readonly verify: HybridVerifiers
}

export const placeOf = ({ row }: AuditedReceipt): LogPlace => ({
  receiptSeq: row.receiptSeq,
  // The hash of the bytes. `checkReceipt` compares the column with it.
  receiptHash: hashOf(row.receiptCbor),
  receivedAt: row.receivedAt,
})

/** Like `receiptHash` of the protocol, but native, as a log is long. */
function hashOf(receiptCbor: Uint8Array): Sha256Hex {
  const hash = parseSha256Hex(createHash('sha256').update(receiptCbor).digest('hex'))
  if (hash === undefined) throw new Error('SHA-256 returned something other than 64 hex characters')
  return hash
}

/** Checks one receipt: its bytes, its row, its place in the chain, its key and what it attests. */
export async function checkReceipt(
  receipt: AuditedReceipt,
  context: LogContext,
  examination: Examination,
): Promise<readonly Finding[]> {
  const { row } = receipt
  const where = { receipt_seq: row.receiptSeq, upload_id: row.uploadId }
  const hash = hashOf(row.receiptCbor)
  const hashFindings = findBroken(where, [
    [row.receiptHash !== hash, 'receipt_hash_wrong', `the row says ${row.receiptHash}, the bytes are ${hash}`],
  ])
  const read = await verified(receipt, context)
  if (typeof read === 'string') return [...hashFindings, createFinding('receipt_unreadable', where, read)]
  const { decoded, fault } = read
  return [
    ...hashFindings,
    ...columnFindings(where, receipt, decoded),
    ...chainFindings(where, decoded, context),
    ...keyFindings(where, decoded, context),
    ...(fault === undefined ? [] : [createFinding('receipt_signature_wrong', where, fault)]),
    ...subjectFindings(where, { receipt, decoded }, examination),
  ]
}

interface Verified {
  readonly decoded: DecodedReceipt
  /** Why its signatures are not valid. */
  readonly fault: string | undefined
}

/** Returns a text when the bytes are no receipt. Decoding encodes them again and compares. */
async function verified(
  { row: { receiptCbor, keyId } }: AuditedReceipt,
  { keys, verify }: LogContext,
): Promise<Verified | string> {
  const verifiedBy = async (signer: KeyId): Promise<DecodedReceipt | undefined> => {
    const publicKey = keys.find((key) => key.keyId === signer)?.publicKey
    return publicKey && verifyReceipt({ receiptCbor, publicKey, verify })
  }
  // Tries the key that the row names first, so a right receipt is decoded once.
  const usual = await verifiedBy(keyId).catch(unlessReceiptError)
  if (usual !== undefined && 'payload' in usual) return { decoded: usual, fault: undefined }
  const decoded = await Promise.resolve(receiptCbor).then(decodeReceipt).catch(unlessReceiptError)
  if (!('payload' in decoded)) return `the bytes are no receipt: ${decoded.message}`
  const fault = decoded.keyId === keyId ? usual : await verifiedBy(decoded.keyId).catch(unlessReceiptError)
  return { decoded, fault: fault instanceof ReceiptError ? fault.message : undefined }
}

function unlessReceiptError(error: unknown): ReceiptError {
  if (!(error instanceof ReceiptError)) throw error
  return error
}

/** Columns repeat signed values, and must equal them. */
function columnFindings(where: Where, { row }: AuditedReceipt, { payload, keyId }: DecodedReceipt): readonly Finding[] {
  const receivedAt = parseInstant(payload.received_at)
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['receipt_seq', row.receiptSeq, payload.receipt_seq],
    ['key_id', row.keyId, keyId],
    ['upload_id', row.uploadId, payload.upload_id],
    ['drop_id', row.dropId, payload.drop_id],
    ['asset_id', row.assetId, payload.asset_id],
    ['received_at', row.receivedAt, receivedAt],
    ['the form of received_at', receivedAt && formatInstant(receivedAt), payload.received_at],
  ]
  return findBroken(
    where,
    pairs.map(([name, column, signed]) => [
      column !== signed,
      'receipt_columns_wrong',
      `${name} is ${String(column)}, signed is ${String(signed)}`,
    ]),
  )
}

/** One chain with strictly rising numbers. A restored server skips numbers, but its receipts continue the chain. */
function chainFindings(where: Where, { payload }: DecodedReceipt, { before }: LogContext): readonly Finding[] {
  const { receipt_seq: sequence, prior_receipt_hash: prior, received_at: receivedAt } = payload
  return findBroken(where, [
    [before === undefined && prior !== undefined, 'receipt_chain_broken', 'the first receipt names one before it'],
    [
      before !== undefined && prior !== before.receiptHash,
      'receipt_chain_broken',
      `it continues from ${prior ?? 'nothing'}, the receipt before it is ${before?.receiptHash}`,
    ],
    [
      before !== undefined && sequence <= before.receiptSeq,
      'receipt_chain_broken',
      `its number ${sequence} does not rise above ${before?.receiptSeq}`,
    ],
    [
      before !== undefined && (parseInstant(receivedAt) ?? 0) < before.receivedAt,
      'receipt_time_wrong',
      `${receivedAt} is earlier than the receipt before it`,
    ],
  ])
}

interface Read {
  readonly receipt: AuditedReceipt
  readonly decoded: DecodedReceipt
}

function keyFindings(where: Where, decoded: DecodedReceipt, { keys, eras }: LogContext): readonly Finding[] {
  const { keyId, payload } = decoded
  const key = keys.find((each) => each.keyId === keyId)
  if (key === undefined) return [createFinding('receipt_key_wrong', where, `no key ${keyId} has ever signed here`)]
  const receivedAt = parseInstant(payload.received_at) ?? 0
  const isWithin = receivedAt >= key.activeFrom && receivedAt <= (key.activeTo ?? Number.POSITIVE_INFINITY)
  const era = eras.find((each) => each.keyId === keyId)
  const fault = eraFault(decoded, eras)
  return findBroken(where, [
    [!isWithin, 'receipt_key_wrong', `its key did not sign at ${payload.received_at}`],
    [
      fault === 'other_server',
      'receipt_server_wrong',
      `it is of ${payload.server_id}, its key signed for ${era?.serverId || 'no server'}`,
    ],
    [
      fault === 'outside_era' || fault === 'head_differs',
      'receipt_key_wrong',
      'the statements say that its key signed other receipts',
    ],
  ])
}

/** A receipt attests exactly one drop or asset. What is left of it must agree with the receipt. */
function subjectFindings(
  where: Where,
  { receipt: { row, subjects, hasUpload, asset }, decoded: { payload } }: Read,
  { isUnpruned = false }: Examination,
): readonly Finding[] {
  const isHeld = subjects.some(({ what }) => what === 'blob')
  const mayBeGone = row.receiptSeq < (asset?.originalSeq ?? 0) || wasRenewed(payload, asset?.signed)
  return [
    ...findBroken(where, [
      [
        (row.dropId === undefined) === (row.assetId === undefined),
        'receipt_subject_wrong',
        `it is of ${row.dropId === undefined ? 'neither a drop nor an asset' : 'a drop and an asset'}`,
      ],
      [isUnpruned && !hasUpload, 'receipt_subject_wrong', 'it attests a session that does not exist'],
      [
        row.assetId !== undefined && asset === undefined,
        'receipt_subject_wrong',
        'it attests an asset that does not exist',
      ],
      [
        asset?.isDeleted === false && !isHeld && !mayBeGone,
        'receipt_subject_wrong',
        'it attests a blob that its asset does not hold, and that no later one has replaced',
      ],
    ]),
    ...subjects.flatMap(({ what, role, ciphertextHash, size }) =>
      findBroken(where, [
        [
          ciphertextHash !== payload.ciphertext_hash || size !== payload.size || role !== payload.blob_role,
          'receipt_subject_wrong',
          `it attests ${payload.size} bytes ${payload.ciphertext_hash} as ${payload.blob_role}, the ${what} is ${size} bytes ${ciphertextHash} as ${role}`,
        ],
      ]),
    ),
  ]
}

/** By a later manifest, or these are metadata that waited for one, or were renewed: the present one names others. */
function wasRenewed(
  { receipt_seq: sequence, blob_role: role, ciphertext_hash: hash }: DecodedReceipt['payload'],
  signed: NonNullable<AuditedReceipt['asset']>['signed'],
): boolean {
  if (signed === undefined) return false
  return role === 'provenance' ? sequence < signed.receiptSeq : role === 'metadata' && hash !== signed.metadataHash
}
