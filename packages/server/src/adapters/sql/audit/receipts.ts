import type { Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { sql } from 'kysely'
import type { AuditedReceipt, Subject } from '../../../ports/store.ts'
import { columnsOf } from '../columns.ts'
import type { Db } from '../db.ts'
import { prepared } from '../prepared.ts'
import { receiptOf } from '../receipts.ts'

/**
 * Only a new original removes blobs from a live asset. The condition `role <> 'derivative'` lets SQLite use the index of the roles that an asset has once.
 */
const originalSeq = sql<number | null>`case when asset_blobs.blob_seq is null then (
  select max(later.receipt_seq) from asset_blobs as held
    join receipts as later on later.upload_id = held.upload_id and later.asset_id = held.asset_id
  where held.asset_id = receipts.asset_id and held.role = 'original' and held.role <> 'derivative'
) end`

const page = prepared((db, given: { readonly after: number; readonly max: number }) =>
  db
    .selectFrom('receipts')
    .leftJoin('uploads', 'uploads.upload_id', 'receipts.upload_id')
    .leftJoin('drops', 'drops.upload_id', 'receipts.upload_id')
    .leftJoin('assets', 'assets.asset_id', 'receipts.asset_id')
    .leftJoin('asset_blobs', (join) =>
      join
        .onRef('asset_blobs.asset_id', '=', 'receipts.asset_id')
        .onRef('asset_blobs.upload_id', '=', 'receipts.upload_id'),
    )
    .select(columnsOf('receipts'))
    .select(['uploads.ciphertext_hash as upload_hash', 'uploads.size as upload_size', 'uploads.role as upload_role'])
    .select(['drops.ciphertext_hash as drop_hash', 'drops.size as drop_size'])
    .select(['asset_blobs.ciphertext_hash as blob_hash', 'asset_blobs.size as blob_size'])
    .select(['asset_blobs.role as blob_role', 'assets.account_id as asset_account', 'assets.deleted_at as deleted_at'])
    .select(originalSeq.as('original_seq'))
    .where('receipts.receipt_seq', '>', given.after)
    .orderBy('receipts.receipt_seq')
    .limit(given.max),
)

export async function auditedReceipts(db: Db, after: number, max: number): Promise<readonly AuditedReceipt[]> {
  const rows = await page.all(db, { after, max })
  return rows.map((row) => ({
    row: receiptOf(row),
    hasUpload: row.upload_hash !== null,
    asset:
      row.asset_account === null
        ? undefined
        : { isDeleted: row.deleted_at !== null, originalSeq: row.original_seq ?? undefined },
    subjects: [
      ...subject('session', { ciphertextHash: row.upload_hash, size: row.upload_size, role: row.upload_role }),
      ...subject('drop', { ciphertextHash: row.drop_hash, size: row.drop_size, role: null }),
      ...subject('blob', { ciphertextHash: row.blob_hash, size: row.blob_size, role: row.blob_role }),
    ],
  }))
}

interface Joined {
  readonly ciphertextHash: Sha256Hex | null
  readonly size: number | null
  readonly role: BlobRole | null
}

/** Empty if there is no such row. A guest's session and a drop have no role: they land as an original. */
function subject(what: Subject['what'], { ciphertextHash, size, role }: Joined): readonly Subject[] {
  return ciphertextHash === null || size === null ? [] : [{ what, ciphertextHash, size, role: role ?? 'original' }]
}
