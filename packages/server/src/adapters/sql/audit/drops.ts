import type { DropId, Instant } from '@blindkeep/protocol/ids'
import { sql } from 'kysely'
import type { AuditedDrop } from '../../../ports/store.ts'
import type { Db } from '../db.ts'
import { prepared } from '../prepared.ts'
import { presentObject } from './objects.ts'

const isSame = sql<0 | 1>`case when uploads.account_id = drops.account_id and uploads.opaque_id = drops.opaque_id
  and uploads.ciphertext_hash = drops.ciphertext_hash and uploads.size = drops.size and uploads.location = drops.location
  then 1 else 0 end`
const ofFirstReceipt = <Value>(column: 'drop_id' | 'received_at') =>
  sql<Value | null>`(
    select receipts.${sql.ref(column)} from receipts where receipts.upload_id = drops.upload_id order by receipt_seq limit 1
  )`
const adoptions = sql<number>`(select count(receipts.asset_id) from receipts where receipts.upload_id = drops.upload_id)`

const page = prepared((db, given: { readonly after: number; readonly max: number }) =>
  db
    .selectFrom('drops')
    .leftJoin('objects', 'objects.location', 'drops.location')
    .leftJoin('links', 'links.opaque_id', 'drops.opaque_id')
    .leftJoin('uploads', 'uploads.upload_id', 'drops.upload_id')
    .select(['drop_seq', 'drops.drop_id', 'drops.account_id', 'drops.upload_id', 'drops.ciphertext_hash'])
    .select(['drops.size', 'drops.location', 'drops.received_at', 'drops.leased_until', 'claim_id'])
    .select(['objects.state as object_state', 'objects.size as object_size', 'links.account_id as link_account'])
    .select(['uploads.state as upload_state', isSame.as('is_same')])
    .select([
      ofFirstReceipt<DropId>('drop_id').as('receipt_drop'),
      ofFirstReceipt<Instant>('received_at').as('receipt_at'),
      adoptions.as('adoptions'),
    ])
    .where('drop_seq', '>', given.after)
    .orderBy('drop_seq')
    .limit(given.max),
)

export async function auditedDrops(db: Db, after: number, max: number): Promise<readonly AuditedDrop[]> {
  const rows = await page.all(db, { after, max })
  return rows.map((row) => ({
    dropSeq: row.drop_seq,
    dropId: row.drop_id,
    accountId: row.account_id,
    uploadId: row.upload_id,
    ciphertextHash: row.ciphertext_hash,
    size: row.size,
    location: row.location,
    receivedAt: row.received_at,
    leasedUntil: row.leased_until ?? undefined,
    claimId: row.claim_id ?? undefined,
    linkAccountId: row.link_account ?? undefined,
    object: presentObject(row),
    upload: row.upload_state === null ? undefined : { state: row.upload_state, isSame: row.is_same === 1 },
    receipt:
      row.receipt_at === null ? undefined : { dropId: row.receipt_drop ?? undefined, receivedAt: row.receipt_at },
    adoptions: row.adoptions,
  }))
}
