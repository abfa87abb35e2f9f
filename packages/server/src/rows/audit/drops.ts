import type { DropId, Instant } from '@blindkeep/protocol/ids'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { all } from '../statements.ts'
import type { AuditedDrop } from './audited.ts'
import { landedAs, presentObject } from './objects.ts'

const isSame = sql<0 | 1>`case when uploads.account_id = drops.account_id and uploads.opaque_id = drops.opaque_id
  and uploads.ciphertext_hash = drops.ciphertext_hash and uploads.size = drops.size and uploads.location = drops.location
  then 1 else 0 end`
const ofFirstReceipt = <Value>(column: 'drop_id' | 'received_at') =>
  sql<Value | null>`(
    select receipts.${sql.ref(column)} from receipts where receipts.upload_id = drops.upload_id order by receipt_seq limit 1
  )`
const adoptions = sql<number>`(select count(receipts.asset_id) from receipts where receipts.upload_id = drops.upload_id)`

const page = all((db, after: number, max: number) =>
  db
    .selectFrom('drops')
    .leftJoin('objects', 'objects.location', 'drops.location')
    .leftJoin('links', 'links.opaqueId', 'drops.opaqueId')
    .leftJoin('uploads', 'uploads.uploadId', 'drops.uploadId')
    .select(['dropSeq', 'drops.dropId', 'drops.accountId', 'drops.uploadId', 'drops.ciphertextHash'])
    .select(['drops.size', 'drops.location', 'drops.receivedAt', 'drops.leasedUntil', 'claimId'])
    .select(['objects.state as objectState', 'objects.size as objectSize', 'links.accountId as linkAccountId'])
    .select(['uploads.state as uploadState', isSame.as('isSame')])
    .select([
      ofFirstReceipt<DropId>('drop_id').as('receiptDrop'),
      ofFirstReceipt<Instant>('received_at').as('receiptAt'),
      adoptions.as('adoptions'),
    ])
    .where('dropSeq', '>', after)
    .orderBy('dropSeq')
    .limit(max),
)

export async function auditedDrops(db: Db, after: number, max: number): Promise<readonly AuditedDrop[]> {
  return (await page(db, after, max)).map(
    ({ objectState, objectSize, uploadState, isSame, receiptDrop, receiptAt, ...drop }) => ({
      ...drop,
      object: presentObject(objectState, objectSize),
      upload: landedAs(uploadState, isSame),
      receipt: receiptAt === undefined ? undefined : { dropId: receiptDrop, receivedAt: receiptAt },
    }),
  )
}
