import { equalBytes } from '@blindkeep/protocol/bytes'
import type { AssetId, Instant, KeyId, OpaqueId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { Kysely, Selectable } from 'kysely'
import type { AppendedUnder, LogHead, ReceiptReads, ReceiptRow, ReceiptWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { keyOf } from './keys.ts'
import { apart, inStatements, prepared, preparedForRows } from './prepared.ts'
import type { ReceiptTable, Schema } from './schema.ts'

const FLOOR = 'receipt_seq_floor'

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

const ofDropLanding = prepared((db, given: { readonly uploadId: UploadId; readonly opaqueId: OpaqueId }) =>
  db
    .selectFrom('receipts')
    .innerJoin('uploads', 'uploads.upload_id', 'receipts.upload_id')
    .select(columnsOf('receipts'))
    .where('receipts.upload_id', '=', given.uploadId)
    .where('uploads.opaque_id', '=', given.opaqueId)
    .where('uploads.state', '=', 'landed')
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

/** One row if a key is active. */
const logEnd = prepared((db, given: { readonly receiptSeq: number }) =>
  db
    .selectFrom('attestation_keys')
    .leftJoin('log_head', (join) => join.on('log_head.only_row', '=', 1))
    .leftJoin('server_facts', (join) => join.on('server_facts.name', '=', FLOOR))
    .leftJoin('receipts', (join) => join.on('receipts.receipt_seq', '=', given.receiptSeq))
    .select(columnsOf('attestation_keys'))
    .select([
      'log_head.receipt_seq',
      'log_head.receipt_hash',
      'log_head.received_at',
      'server_facts.value as floor',
      'receipts.receipt_hash as hash',
    ])
    .where('active_to', 'is', null),
)

interface HeadStep extends LogHead {
  readonly fromSeq: number
  readonly fromHash: Sha256Hex
  readonly fromReceivedAt: Instant
}

/** Changes nothing if the head is another one. */
const nextHead = prepared((db, given: HeadStep) => headFrom(db, given))

const NO_FLOOR = new Uint8Array(0)

/** Nor if another key is active, or the floor is another one. */
const nextHeadUnder = prepared((db, given: HeadStep & { readonly keyId: KeyId; readonly floor: Uint8Array }) =>
  headFrom(db, given)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('attestation_keys')
          .select('key_seq')
          .where('key_id', '=', given.keyId)
          .where('active_to', 'is', null),
      ),
    )
    .where(
      ({ fn, selectFrom, val }) =>
        fn.coalesce(selectFrom('server_facts').select('value').where('name', '=', FLOOR), val(NO_FLOOR)),
      '=',
      given.floor,
    ),
)

function headFrom(db: Kysely<Schema>, given: HeadStep) {
  return db
    .updateTable('log_head')
    .set({ receipt_seq: given.receiptSeq, receipt_hash: given.receiptHash, received_at: given.receivedAt })
    .where('only_row', '=', 1)
    .where('receipt_seq', '=', given.fromSeq)
    .where('receipt_hash', '=', given.fromHash)
    .where('received_at', '=', given.fromReceivedAt)
}

/** Statements that insert so many rows each. Few of them, because every connection prepares its own. */
const insertions = [64, 32, 16, 8, 4, 2, 1].map((count) => ({
  count,
  insertion: apart(
    preparedForRows(count, (db, rows: readonly ReceiptRow[]) =>
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
  ),
}))

export function receiptReads(db: Db): ReceiptReads {
  return {
    async head() {
      const row = await head.first(db, {})
      return row && { receiptSeq: row.receipt_seq, receiptHash: row.receipt_hash, receivedAt: row.received_at }
    },
    async end(receiptSeq) {
      const row = await logEnd.first(db, { receiptSeq })
      if (row === undefined) return { head: undefined, key: undefined, floor: undefined, hash: undefined }
      return { head: headOf(row), key: keyOf(row), floor: row.floor ?? undefined, hash: row.hash ?? undefined }
    },
    async hashOf(receiptSeq) {
      return (await hashBySeq.first(db, { receiptSeq }))?.receipt_hash
    },
    async ofUpload(uploadId) {
      const row = await firstOfUpload.first(db, { uploadId })
      return row && receiptOf(row)
    },
    async ofDrop(scope) {
      const row = await ofDropLanding.first(db, scope)
      return row && receiptOf(row)
    },
    async ofAsset(assetId) {
      return (await ofUploadsOfAsset.all(db, { assetId })).map(receiptOf)
    },
  }
}

export function receiptWrites(db: Db): ReceiptWrites {
  return {
    async append(from, rows, under) {
      const last = rows.at(-1)
      if (last === undefined) throw new RangeError('No receipts to append')
      refuseUnlessRising(from, rows)
      if (!(await moveHead(db, { from, to: last, under }))) return false
      await Promise.all([
        ...inStatements(insertions, rows, (insertion, some) => insertion.changed(db, some)),
        under?.beside(),
      ])
      return true
    },
  }
}

interface Move {
  readonly from: LogHead | undefined
  readonly to: LogHead
  readonly under: AppendedUnder | undefined
}

async function moveHead(db: Db, { from, to, under }: Move): Promise<boolean> {
  if (from === undefined) return (await isUnder(db, under)) && (await firstHead.changed(db, to)) === 1
  const { receiptSeq: fromSeq, receiptHash: fromHash, receivedAt: fromReceivedAt } = from
  const step = { ...to, fromSeq, fromHash, fromReceivedAt }
  if (under === undefined) return (await nextHead.changed(db, step)) === 1
  const { keyId, floor = NO_FLOOR } = under
  return (await nextHeadUnder.changed(db, { ...step, keyId, floor })) === 1
}

async function isUnder(db: Db, under: AppendedUnder | undefined): Promise<boolean> {
  if (under === undefined) return true
  const row = await logEnd.first(db, { receiptSeq: 0 })
  return row?.key_id === under.keyId && equalBytes(row.floor ?? NO_FLOOR, under.floor ?? NO_FLOOR)
}

function headOf(row: {
  readonly receipt_seq: number | null
  readonly receipt_hash: Sha256Hex | null
  readonly received_at: Instant | null
}): LogHead | undefined {
  const { receipt_seq: receiptSeq, receipt_hash: receiptHash, received_at: receivedAt } = row
  return receiptSeq === null || receiptHash === null || receivedAt === null
    ? undefined
    : { receiptSeq, receiptHash, receivedAt }
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
