/** What must hold of the receipt log as rows: one chain from the first receipt to the head, each link signed and true. */
import type { DatabaseSync } from 'node:sqlite'
import { verifiers } from '@blindkeep/client/signatures'
import { checkChain } from '@blindkeep/protocol/chain'
import { formatInstant, parseInstant } from '@blindkeep/protocol/ids'
import { type DecodedReceipt, verifyReceipt } from '@blindkeep/protocol/receipt'
import { type Row, rowsOf } from './rows.ts'

/** How far the log was checked before; what was checked then is not read again. */
export interface CheckedLog {
  last: DecodedReceipt | undefined
}

/** Faults as sentences; none when the log is whole. Moves `checked` on to the head. */
export async function checkLog(database: DatabaseSync, checked: CheckedLog): Promise<readonly string[]> {
  const faults: string[] = []
  const keys = new Map(
    rowsOf(database, 'select key_id, public_key from attestation_keys').map((row) => [
      row.text('key_id'),
      row.bytes('public_key'),
    ]),
  )
  const since = checked.last?.payload.receipt_seq ?? 0
  const query = `select receipts.*, ciphertext_hash, size, role from receipts left join uploads using (upload_id)
    where receipt_seq > ? order by receipt_seq`
  for (const row of rowsOf(database, query, since)) {
    const publicKey = keys.get(row.text('key_id'))
    if (publicKey === undefined) return [...faults, `receipt ${row.number('receipt_seq')} names an unknown key`]
    const receipt = await verifyReceipt({ receiptCbor: row.bytes('receipt_cbor'), publicKey, verify: verifiers })
    faults.push(...rowFaults(row, receipt), ...linkFaults(checked.last, receipt))
    checked.last = receipt
  }
  return [...faults, ...headFaults(database, checked.last)]
}

/** Columns are copies of what is signed, and must say the same. */
function rowFaults(row: Row, { payload, hash, keyId }: DecodedReceipt): readonly string[] {
  const receivedAt = parseInstant(payload.received_at)
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['receipt_seq', row.number('receipt_seq'), payload.receipt_seq],
    ['receipt_hash', row.text('receipt_hash'), hash],
    ['key_id', row.text('key_id'), keyId],
    ['upload_id', row.text('upload_id'), payload.upload_id],
    ['drop_id', row.optionalText('drop_id'), payload.drop_id],
    ['asset_id', row.optionalText('asset_id'), payload.asset_id],
    // A guest's session has no role: what landed through it is an original.
    ['blob_role', row.optionalText('role') ?? 'original', payload.blob_role],
    ['received_at', row.number('received_at'), receivedAt],
    ['received_at’s form', receivedAt && formatInstant(receivedAt), payload.received_at],
    ['ciphertext_hash', row.text('ciphertext_hash'), payload.ciphertext_hash],
    ['size', row.number('size'), payload.size],
  ]
  return pairs
    .filter(([, column, signed]) => column !== signed)
    .map(
      ([name, column, signed]) =>
        `receipt ${payload.receipt_seq}: ${name} is ${String(column)}, signed is ${String(signed)}`,
    )
}

function linkFaults(before: DecodedReceipt | undefined, receipt: DecodedReceipt): readonly string[] {
  const { receipt_seq: sequence, prior_receipt_hash: prior } = receipt.payload
  const expected = (before?.payload.receipt_seq ?? 0) + 1
  if (sequence !== expected) return [`receipt ${expected} is missing before ${sequence}`]
  if (before === undefined) return prior === undefined ? [] : ['the first receipt names one before it']
  const broken = checkChain([before, receipt], { whole: true })
  return broken === undefined ? [] : [`the chain breaks at receipt ${sequence}: ${broken.fault}`]
}

function headFaults(database: DatabaseSync, last: DecodedReceipt | undefined): readonly string[] {
  const [head] = rowsOf(database, 'select receipt_seq, receipt_hash from log_head')
  const [found, expected] = [head?.text('receipt_hash'), last?.hash]
  return found === expected ? [] : [`the log’s head is ${found}, its last receipt ${expected}`]
}
