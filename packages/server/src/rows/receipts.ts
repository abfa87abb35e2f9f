import { equalBytes } from '@blindkeep/protocol/bytes'
import type { AssetId, KeyId, OpaqueId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { Kysely } from 'kysely'
import type { Db } from './db.ts'
import { all, apart, changesOne, count, first, forRows, inStatements, type Some, value } from './statements.ts'
import type { AttestationKey } from './tables/keys.ts'
import type { LogHead, ReceiptRow } from './tables/receipts.ts'
import { columnsOf, newRow, type Tables } from './tables.ts'

/** What the next receipt continues, and what it depends on, at one instant. */
export interface LogEnd {
  /** Undefined before the first receipt. */
  readonly head: LogHead | undefined
  /** The attestation key without an end. */
  readonly key: AttestationKey | undefined
  /** The fact `receipt_seq_floor`. */
  readonly floor: Uint8Array | undefined
  /** The fact `server_id`. */
  readonly serverId: Uint8Array | undefined
  /** Of the receipt with the number that was asked for. */
  readonly hash: Sha256Hex | undefined
}

const FLOOR = 'receipt_seq_floor'

/** One row if a key is active. */
const logEnd = first((db, receiptSeq: number) =>
  db
    .selectFrom('attestationKeys')
    .leftJoin('logHead', (join) => join.on('logHead.onlyRow', '=', 1))
    .leftJoin('serverFacts', (join) => join.on('serverFacts.name', '=', FLOOR))
    .leftJoin('serverFacts as name', (join) => join.on('name.name', '=', 'server_id'))
    .leftJoin('receipts', (join) => join.on('receipts.receiptSeq', '=', receiptSeq))
    .select(columnsOf('attestationKeys'))
    .select(columnsOf('logHead'))
    .select(['serverFacts.value as floor', 'name.value as serverId', 'receipts.receiptHash as hash'])
    .where('activeTo', 'is', null),
)

const NO_KEY: LogEnd = { head: undefined, key: undefined, floor: undefined, serverId: undefined, hash: undefined }

export const receiptReads = {
  /** In one statement. */
  async end(db: Db, asked: number): Promise<LogEnd> {
    const row = await logEnd(db, asked)
    if (row === undefined) return NO_KEY
    const { receiptSeq, receiptHash, receivedAt, floor, serverId, hash, ...key } = row
    const hasHead = receiptSeq !== undefined && receiptHash !== undefined && receivedAt !== undefined
    return { head: hasHead ? { receiptSeq, receiptHash, receivedAt } : undefined, key, floor, serverId, hash }
  },
  /** Undefined before the first receipt. */
  head: first((db) => db.selectFrom('logHead').select(columnsOf('logHead')).where('onlyRow', '=', 1)),
  hashOf: value((db, receiptSeq: number) =>
    db.selectFrom('receipts').select('receiptHash').where('receiptSeq', '=', receiptSeq),
  ),
  /** The first receipt of an upload: a drop's landing comes before its adoption. */
  ofUpload: first((db, uploadId: UploadId) =>
    db
      .selectFrom('receipts')
      .select(columnsOf('receipts'))
      .where('uploadId', '=', uploadId)
      .orderBy('receiptSeq')
      .limit(1),
  ),
  /** The same for a guest, who names the link, too. Undefined unless the upload has landed there. */
  ofDrop: first((db, scope: { readonly opaqueId: OpaqueId; readonly uploadId: UploadId }) =>
    db
      .selectFrom('receipts')
      .innerJoin('uploads', 'uploads.uploadId', 'receipts.uploadId')
      .select(columnsOf('receipts'))
      .where('receipts.uploadId', '=', scope.uploadId)
      .where('uploads.opaqueId', '=', scope.opaqueId)
      .where('uploads.state', '=', 'landed')
      .orderBy('receiptSeq')
      .limit(1),
  ),
  /**
   * All receipts about an asset, in the order of the chain: for every blob that it ever had, and for the landings of
   * the drops that it adopted. Found by upload: the receipt of a drop's landing names no asset, but names the same
   * upload as the adoption.
   */
  ofAsset: all((db, assetId: AssetId) =>
    db
      .selectFrom('receipts')
      .select(columnsOf('receipts'))
      .where('uploadId', 'in', (receipt) =>
        receipt.selectFrom('receipts as own').select('own.uploadId').where('own.assetId', '=', assetId),
      )
      .orderBy('receiptSeq'),
  ),
  /** Receipts that name the asset. */
  countOfAsset: count((db, assetId: AssetId) =>
    db
      .selectFrom('receipts')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('assetId', '=', assetId),
  ),
}

export interface AppendedUnder {
  readonly keyId: KeyId
  /** The fact `receipt_seq_floor`. */
  readonly floor: Uint8Array | undefined
  /** What is written with the receipts, once the head has moved. */
  beside(): Promise<void>
}

/** Changes nothing if there is a head already. */
const firstHead = changesOne((db, head: LogHead) =>
  db
    .insertInto('logHead')
    .values({ ...newRow('logHead', head), onlyRow: 1 })
    .onConflict((conflict) => conflict.column('onlyRow').doNothing()),
)

function headMoved(db: Kysely<Tables>, from: LogHead, to: LogHead) {
  return db
    .updateTable('logHead')
    .set({ receiptSeq: to.receiptSeq, receiptHash: to.receiptHash, receivedAt: to.receivedAt })
    .where('onlyRow', '=', 1)
    .where('receiptSeq', '=', from.receiptSeq)
    .where('receiptHash', '=', from.receiptHash)
    .where('receivedAt', '=', from.receivedAt)
}

/** Changes nothing if the head is another one. */
const nextHead = changesOne(headMoved)

const NO_FLOOR = new Uint8Array(0)

/** Nor if another key is active, or the floor is another one. */
const nextHeadUnder = changesOne((db, from: LogHead, to: LogHead, keyId: KeyId, floor: Uint8Array) =>
  headMoved(db, from, to)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('attestationKeys').select('keySeq').where('keyId', '=', keyId).where('activeTo', 'is', null)),
    )
    .where(
      ({ fn, selectFrom, val }) =>
        fn.coalesce(selectFrom('serverFacts').select('value').where('name', '=', FLOOR), val(NO_FLOOR)),
      '=',
      floor,
    ),
)

const insertions = forRows(
  [64, 32, 16, 8, 4, 2, 1],
  apart((db, rows: Some<ReceiptRow>) => db.insertInto('receipts').values(rows.map((row) => newRow('receipts', row)))),
)

export const receiptWrites = {
  /**
   * Appends `rows` and moves the head from `from` to the last of them. False, and nothing changed, if the head is not
   * `from`, or if the active key or the floor is not as `under` has it: this compare-and-set protects the chain even
   * without the log's lock.
   */
  async append(
    db: Db,
    from: LogHead | undefined,
    rows: readonly ReceiptRow[],
    under?: AppendedUnder,
  ): Promise<boolean> {
    const last = rows.at(-1)
    if (last === undefined) throw new RangeError('No receipts to append')
    refuseUnlessRising(from, rows)
    if (!(await moveHead(db, from, last, under))) return false
    await Promise.all([...inStatements(insertions, rows, (insertion, some) => insertion(db, some)), under?.beside()])
    return true
  },
}

async function moveHead(
  db: Db,
  from: LogHead | undefined,
  to: LogHead,
  under: AppendedUnder | undefined,
): Promise<boolean> {
  if (from === undefined) return (await isUnder(db, under)) && (await firstHead(db, to))
  if (under === undefined) return nextHead(db, from, to)
  return nextHeadUnder(db, from, to, under.keyId, under.floor ?? NO_FLOOR)
}

async function isUnder(db: Db, under: AppendedUnder | undefined): Promise<boolean> {
  if (under === undefined) return true
  const row = await logEnd(db, 0)
  return row?.keyId === under.keyId && equalBytes(row.floor ?? NO_FLOOR, under.floor ?? NO_FLOOR)
}

/**
 * `receiptSeq` is strictly monotonic per server (specification, AssetReceipt), and instants in the log never decrease.
 */
function refuseUnlessRising(from: LogHead | undefined, rows: readonly ReceiptRow[]): void {
  let before: Pick<LogHead, 'receiptSeq' | 'receivedAt'> | undefined = from
  for (const row of rows) {
    if (before !== undefined && (row.receiptSeq <= before.receiptSeq || row.receivedAt < before.receivedAt)) {
      throw new RangeError(`Receipt ${row.receiptSeq} does not follow receipt ${before.receiptSeq}`)
    }
    before = row
  }
}
