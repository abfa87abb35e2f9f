import type { Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Kysely } from 'kysely'
import type { AuditedReceipt, Subject } from '../../../ports/store.ts'
import { prepared } from '../prepared.ts'
import { receiptOf } from '../receipts.ts'
import type { Schema } from '../schema.ts'

const page = prepared((db, given: { readonly after: number; readonly most: number }) =>
  db
    .selectFrom('receipts')
    .leftJoin('uploads', 'uploads.upload_id', 'receipts.upload_id')
    .leftJoin('drops', 'drops.upload_id', 'receipts.upload_id')
    .leftJoin('asset_blobs', (join) =>
      join
        .onRef('asset_blobs.asset_id', '=', 'receipts.asset_id')
        .onRef('asset_blobs.upload_id', '=', 'receipts.upload_id'),
    )
    .selectAll('receipts')
    .select(['uploads.ciphertext_hash as upload_hash', 'uploads.size as upload_size', 'uploads.role as upload_role'])
    .select(['drops.ciphertext_hash as drop_hash', 'drops.size as drop_size'])
    .select(['asset_blobs.ciphertext_hash as blob_hash', 'asset_blobs.size as blob_size'])
    .select('asset_blobs.role as blob_role')
    .where('receipts.receipt_seq', '>', given.after)
    .orderBy('receipts.receipt_seq')
    .limit(given.most),
)

export async function auditedReceipts(
  db: Kysely<Schema>,
  after: number,
  most: number,
): Promise<readonly AuditedReceipt[]> {
  const rows = await page.all(db, { after, most })
  return rows.map((row) => ({
    row: receiptOf(row),
    hasUpload: row.upload_hash !== null,
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

/** None when there is no such row. A guest's session and a drop have no role: what lands by them is an original. */
function subject(what: Subject['what'], { ciphertextHash, size, role }: Joined): readonly Subject[] {
  return ciphertextHash === null || size === null ? [] : [{ what, ciphertextHash, size, role: role ?? 'original' }]
}
