import type { AccountId, DropId, Instant } from '@blindkeep/protocol/ids'
import { type SqlBool, sql } from 'kysely'
import type { AuditedAsset, AuditedBlob } from '../../../ports/store.ts'
import type { Db } from '../db.ts'
import { envelopeOf } from '../envelopes.ts'
import { prepared } from '../prepared.ts'
import { presentObject } from './objects.ts'

const originalDropId = sql<DropId | null>`(
  select min(receipts.drop_id) from asset_blobs join receipts on receipts.upload_id = asset_blobs.upload_id
  where asset_blobs.asset_id = assets.asset_id and asset_blobs.role = 'original' and receipts.drop_id is not null
)`

/** Only deleted assets are in a deleted album. */
const albumAccount = sql<AccountId | null>`case
  when albums.deleted_at is null or assets.deleted_at is not null then albums.account_id
end`

const assetPage = prepared((db, given: { readonly after: string; readonly max: number }) =>
  db
    .selectFrom('assets')
    .leftJoin('albums', 'albums.album_id', 'assets.album_id')
    .select(['assets.asset_id', 'assets.account_id', 'drop_id', 'assets.created_at', 'assets.deleted_at'])
    .select('assets.change_seq')
    .select([
      sql<number>`(select count(*) from asset_blobs where asset_blobs.asset_id = assets.asset_id)`.as('blobs'),
      sql<number>`(
        select count(*) from uploads where uploads.asset_id = assets.asset_id and uploads.closed_at is null
      )`.as('unclosed'),
      originalDropId.as('original_drop'),
      albumAccount.as('album_account'),
    ])
    .where(sql<SqlBool>`assets.asset_id > ${given.after}`)
    .orderBy('assets.asset_id')
    .limit(given.max),
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

const blobPage = prepared((db, given: { readonly after: number; readonly max: number }) =>
  db
    .selectFrom('asset_blobs')
    .leftJoin('objects', 'objects.location', 'asset_blobs.location')
    .leftJoin('assets', 'assets.asset_id', 'asset_blobs.asset_id')
    .leftJoin('uploads', 'uploads.upload_id', 'asset_blobs.upload_id')
    .select(['blob_seq', 'asset_blobs.asset_id', 'asset_blobs.account_id', 'asset_blobs.role', 'asset_blobs.size'])
    .select(['asset_blobs.ciphertext_hash', 'asset_blobs.location', 'asset_blobs.upload_id', 'landed_at'])
    .select(['objects.state as object_state', 'objects.size as object_size', 'assets.account_id as asset_account'])
    .select(['uploads.state as upload_state', isSame.as('is_same'), 'asset_blobs.envelope', 'retained_until'])
    .select([ofReceipt<number>('receipt_seq').as('receipt_seq'), ofReceipt<Instant>('received_at').as('received_at')])
    .where('blob_seq', '>', given.after)
    .orderBy('blob_seq')
    .limit(given.max),
)

export async function auditedAssets(db: Db, after: string, max: number): Promise<readonly AuditedAsset[]> {
  const rows = await assetPage.all(db, { after, max })
  return rows.map((row) => ({
    assetId: row.asset_id,
    accountId: row.account_id,
    albumAccountId: row.album_account ?? undefined,
    dropId: row.drop_id ?? undefined,
    createdAt: row.created_at ?? undefined,
    deletedAt: row.deleted_at ?? undefined,
    changeSeq: row.change_seq ?? undefined,
    blobs: row.blobs,
    unclosedSessions: row.unclosed,
    originalDropId: row.original_drop ?? undefined,
  }))
}

export async function auditedBlobs(db: Db, after: number, max: number): Promise<readonly AuditedBlob[]> {
  const rows = await blobPage.all(db, { after, max })
  return rows.map((row) => ({
    blobSeq: row.blob_seq,
    assetId: row.asset_id,
    accountId: row.account_id,
    role: row.role,
    ciphertextHash: row.ciphertext_hash,
    size: row.size,
    location: row.location,
    uploadId: row.upload_id,
    landedAt: row.landed_at,
    assetAccountId: row.asset_account ?? undefined,
    object: presentObject(row),
    upload: row.upload_state === null ? undefined : { state: row.upload_state, isSame: row.is_same === 1 },
    receipt:
      row.receipt_seq === null || row.received_at === null
        ? undefined
        : { receiptSeq: row.receipt_seq, receivedAt: row.received_at },
    isEnvelopeReadable: isReadable(row.envelope),
    retainedUntil: row.retained_until ?? undefined,
  }))
}

function isReadable(envelope: string): boolean {
  try {
    envelopeOf(envelope)
    return true
  } catch {
    return false
  }
}
