/** The receipt log in the database of a stopped server, and the independent checker's report on it. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkReceipts, type Report } from '../../conformance/checker/check.ts'
import { describeFault } from '../../conformance/checker/fault.ts'
import { type Api, jsonOf } from '../harness/api.ts'
import { sha256 } from '../harness/random.ts'
import { rowsOf } from '../harness/rows.ts'
import type { HeldReceipt } from './load.ts'

export interface LogEntry {
  readonly receiptSeq: number
  /** base64 */
  readonly receiptCbor: string
  readonly keyId: string
  /** Milliseconds since 1970. */
  readonly receivedAt: number
}

/** The answer of attestation-keys. */
export interface KeysDocument {
  readonly server_id: string
  readonly keys: readonly PublishedKey[]
}

export interface PublishedKey {
  readonly key_id: string
  readonly public: string
  readonly algorithm: string
  readonly active_from: string
  readonly active_to?: string
}

export async function publishedKeys(api: Api): Promise<KeysDocument> {
  return jsonOf(await api.askUntilAnswered({ method: 'GET', path: '/.well-known/service/attestation-keys' }))
}

export const databaseOf = (dataDirectory: string): string => join(dataDirectory, 'blindkeep.sqlite')

/** In the order of the chain. */
export function readLog(dataDirectory: string): readonly LogEntry[] {
  const database = new DatabaseSync(databaseOf(dataDirectory), { readOnly: true })
  try {
    return rowsOf(
      database,
      'select receipt_seq, receipt_cbor, key_id, received_at from receipts order by receipt_seq',
    ).map((row) => ({
      receiptSeq: row.number('receipt_seq'),
      receiptCbor: Buffer.from(row.bytes('receipt_cbor')).toString('base64'),
      keyId: row.text('key_id'),
      receivedAt: row.number('received_at'),
    }))
  } finally {
    database.close()
  }
}

interface Known {
  readonly keys: KeysDocument
  /** The key list from before the first rotation. */
  readonly pins: KeysDocument
  readonly held: readonly HeldReceipt[]
  readonly drops: number
}

/** Faults as sentences. One receipt a drop, all guests' included, in one chain, under then active keys. */
export async function judgeLog(
  log: readonly LogEntry[],
  { keys, pins, held, drops }: Known,
): Promise<readonly string[]> {
  const values = log.map(({ receiptCbor }) => receiptCbor)
  const report = await checkReceipts(values, { keys, pins, whole: true, log: true })
  const hashes = new Map(
    log.map(({ receiptSeq, receiptCbor }) => [receiptSeq, sha256(Buffer.from(receiptCbor, 'base64'))]),
  )
  const differing = held.filter(({ receiptSeq, hash }) => hashes.get(receiptSeq) !== hash)
  return [
    ...describeFaults(report),
    ...(log.length === drops ? [] : [`${drops} drops have landed, and the log has ${log.length} receipts`]),
    ...differing.map(({ receiptSeq }) => `receipt ${receiptSeq} is not the one that its guest got`),
  ]
}

export const describeFaults = ({ faults }: Report): readonly string[] => faults.map(describeFault)
