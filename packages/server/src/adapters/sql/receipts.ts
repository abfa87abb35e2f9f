import type { AssetId, Instant, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { Selectable } from 'kysely'
import type { LogHead, ReceiptReads, ReceiptRow, ReceiptWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { inStatements, prepared, preparedForRows } from './prepared.ts'
import type { ReceiptTable } from './schema.ts'

const head = prepared((db, _given: object) =>
  db.selectFrom('log_head').select(['receipt_seq', 'receipt_hash', 'received_at']).where('only_row', '=', 1),
)

const hashBySeq = prepared((db, given: { readonly receiptSeq: number }) =>
  db.selectFrom('receipts').select('receipt_hash').where('receipt_seq', '=', given.receiptSeq),
)

const firstOfUpload = prepared((db, given: { readonly uploadId: UploadId }) =>
  db
    .selectFrom('receipts')
    .select(columnsOf('receipts'))
    .where('upload_id', '=', given.uploadId)
    .orderBy('receipt_seq')
    .limit(1),
)

/** Found by upload: the receipt of a drop's landing names no asset, but names the same upload as the adoption. */
const ofUploadsOfAsset = prepared((db, given: { readonly assetId: AssetId }) =>
  db
    .selectFrom('receipts')
    .select(columnsOf('receipts'))
    .where('upload_id', 'in', (receipt) =>
      receipt.selectFrom('receipts as own').select('own.upload_id').where('own.asset_id', '=', given.assetId),
    )
    .orderBy('receipt_seq'),
)

/** Changes nothing if there is a head already. */
const firstHead = prepared((db, given: LogHead) =>
  db
    .insertInto('log_head')
    .values({
      only_row: 1,
      receipt_seq: given.receiptSeq,
      receipt_hash: given.receiptHash,
      received_at: given.receivedAt,
    })
    .onConflict((conflict) => conflict.column('only_row').doNothing()),
)

interface HeadStep extends LogHead {
  readonly fromSeq: number
  readonly fromHash: Sha256Hex
  readonly fromReceivedAt: Instant
}

/** Changes nothing if the head is another one. */
const nextHead = prepared((db, given: HeadStep) =>
  db
    .updateTable('log_head')
    .set({ receipt_seq: given.receiptSeq, receipt_hash: given.receiptHash, received_at: given.receivedAt })
    .where('only_row', '=', 1)
    .where('receipt_seq', '=', given.fromSeq)
    .where('receipt_hash', '=', given.fromHash)
    .where('received_at', '=', given.fromReceivedAt),
)

/** Statements that insert so many rows each. Few of them, because every connection prepares its own. */
const insertions = [64, 32, 16, 8, 4, 2, 1].map((count) => ({
  count,
  insertion: preparedForRows(count, (db, rows: readonly ReceiptRow[]) =>
    db.insertInto('receipts').values(
      rows.map((given) => ({
        receipt_seq: given.receiptSeq,
        receipt_hash: given.receiptHash,
        receipt_cbor: given.receiptCbor,
        key_id: given.keyId,
        upload_id: given.uploadId,
        drop_id: given.dropId,
        asset_id: given.assetId,
        received_at: given.receivedAt,
      })),
    ),
  ),
}))

export function receiptReads(db: Db): ReceiptReads {
  return {
    async head() {
      const row = await head.first(db, {})
      return row && { receiptSeq: row.receipt_seq, receiptHash: row.receipt_hash, receivedAt: row.received_at }
    },
    async hashOf(receiptSeq) {
      return (await hashBySeq.first(db, { receiptSeq }))?.receipt_hash
    },
    async ofUpload(uploadId) {
      const row = await firstOfUpload.first(db, { uploadId })
      return row && receiptOf(row)
    },
    async ofAsset(assetId) {
      return (await ofUploadsOfAsset.all(db, { assetId })).map(receiptOf)
    },
  }
}

export function receiptWrites(db: Db): ReceiptWrites {
  return {
    async append(from, rows) {
      const last = rows.at(-1)
      if (last === undefined) throw new RangeError('No receipts to append')
      refuseUnlessRising(from, rows)
      if (!(await moveHead(db, from, last))) return false
      await Promise.all(inStatements(insertions, rows, (insertion, some) => insertion.changed(db, some)))
      return true
    },
  }
}

async function moveHead(db: Db, from: LogHead | undefined, to: LogHead): Promise<boolean> {
  if (from === undefined) return (await firstHead.changed(db, to)) === 1
  const { receiptSeq: fromSeq, receiptHash: fromHash, receivedAt: fromReceivedAt } = from
  return (await nextHead.changed(db, { ...to, fromSeq, fromHash, fromReceivedAt })) === 1
}

/** `receipt_seq` is strictly monotonic per server (specification, AssetReceipt), and instants in the log never decrease. */
function refuseUnlessRising(from: LogHead | undefined, rows: readonly ReceiptRow[]): void {
  let before: Pick<LogHead, 'receiptSeq' | 'receivedAt'> | undefined = from
  for (const row of rows) {
    if (before !== undefined && (row.receiptSeq <= before.receiptSeq || row.receivedAt < before.receivedAt)) {
      throw new RangeError(`Receipt ${row.receiptSeq} does not follow receipt ${before.receiptSeq}`)
    }
    before = row
  }
}

export function receiptOf(row: Selectable<ReceiptTable>): ReceiptRow {
  return {
    receiptSeq: row.receipt_seq,
    receiptHash: row.receipt_hash,
    receiptCbor: row.receipt_cbor,
    keyId: row.key_id,
    uploadId: row.upload_id,
    dropId: row.drop_id ?? undefined,
    assetId: row.asset_id ?? undefined,
    receivedAt: row.received_at,
  }
}
