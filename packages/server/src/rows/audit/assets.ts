import type { AccountId, DropId, Instant } from '@blindkeep/protocol/ids'
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db.ts'
import { all } from '../statements.ts'
import type { AuditedAsset, AuditedBlob } from './audited.ts'
import { landedAs, presentObject } from './objects.ts'

const originalDropId = sql<DropId | null>`(
  select min(receipts.drop_id) from asset_blobs join receipts on receipts.upload_id = asset_blobs.upload_id
  where asset_blobs.asset_id = assets.asset_id and asset_blobs.role = 'original' and receipts.drop_id is not null
)`

const strayPending = sql<number>`(
  select count(*) from asset_blobs where asset_blobs.asset_id = assets.asset_id and pending_after is not null
    and (asset_blobs.role <> 'metadata' or not exists (select 1 from asset_blobs as signed
      where signed.asset_id = assets.asset_id and signed.role = 'provenance'
        and signed.ciphertext_hash = asset_blobs.pending_after))
)`

/** Only deleted assets are in a deleted album. */
const albumAccount = sql<AccountId | null>`case
  when albums.deleted_at is null or assets.deleted_at is not null then albums.account_id
end`

export const auditedAssets: (db: Db, after: string, max: number) => Promise<readonly AuditedAsset[]> = all(
  (db, after: string, max: number) =>
    db
      .selectFrom('assets')
      .leftJoin('albums', 'albums.albumId', 'assets.albumId')
      .select(['assets.assetId', 'assets.accountId', 'dropId', 'assets.createdAt', 'assets.deletedAt'])
      .select('assets.changeSeq')
      .select([
        sql<number>`(select count(*) from asset_blobs where asset_blobs.asset_id = assets.asset_id)`.as('blobs'),
        sql<number>`(
        select count(*) from uploads where uploads.asset_id = assets.asset_id and uploads.closed_at is null
      )`.as('unclosedSessions'),
        strayPending.as('strayPending'),
        originalDropId.as('originalDropId'),
        albumAccount.as('albumAccountId'),
      ])
      .where(sql<SqlBool>`assets.asset_id > ${after}`)
      .orderBy('assets.assetId')
      .limit(max),
)

/** An owner's session records its asset and role. A guest's session becomes the original of any asset. */
const isSame = sql<0 | 1>`case when uploads.account_id = asset_blobs.account_id
  and uploads.ciphertext_hash = asset_blobs.ciphertext_hash and uploads.size = asset_blobs.size
  and uploads.location = asset_blobs.location
  and coalesce(uploads.asset_id, asset_blobs.asset_id) = asset_blobs.asset_id
  and coalesce(uploads.role, 'original') = asset_blobs.role
  then 1 else 0 end`
const ofReceipt = <Value>(column: 'receipt_seq' | 'received_at') =>
  sql<Value | null>`(
    select receipts.${sql.ref(column)} from receipts
    where receipts.upload_id = asset_blobs.upload_id and receipts.asset_id = asset_blobs.asset_id
    order by receipt_seq limit 1
  )`

const blobPage = all((db, after: number, max: number) =>
  db
    .selectFrom('assetBlobs')
    .leftJoin('objects', 'objects.location', 'assetBlobs.location')
    .leftJoin('assets', 'assets.assetId', 'assetBlobs.assetId')
    .leftJoin('uploads', 'uploads.uploadId', 'assetBlobs.uploadId')
    .select(['blobSeq', 'assetBlobs.assetId', 'assetBlobs.accountId', 'assetBlobs.role', 'assetBlobs.size'])
    .select(['assetBlobs.ciphertextHash', 'assetBlobs.location', 'assetBlobs.uploadId', 'landedAt'])
    .select(['objects.state as objectState', 'objects.size as objectSize', 'assets.accountId as assetAccountId'])
    .select(['uploads.state as uploadState', isSame.as('isSame'), 'retainedUntil'])
    // Under another name, as an envelope that is not JSON could not be read.
    .select(sql<string>`asset_blobs.envelope`.as('envelopeText'))
    .select([ofReceipt<number>('receipt_seq').as('receiptSeq'), ofReceipt<Instant>('received_at').as('receivedAt')])
    .where('blobSeq', '>', after)
    .orderBy('blobSeq')
    .limit(max),
)

export async function auditedBlobs(db: Db, after: number, max: number): Promise<readonly AuditedBlob[]> {
  return (await blobPage(db, after, max)).map(
    ({ objectState, objectSize, uploadState, isSame, receiptSeq, receivedAt, envelopeText, ...blob }) => ({
      ...blob,
      object: presentObject(objectState, objectSize),
      upload: landedAs(uploadState, isSame),
      receipt: receiptSeq === undefined || receivedAt === undefined ? undefined : { receiptSeq, receivedAt },
      isEnvelopeReadable: isJson(envelopeText),
    }),
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
