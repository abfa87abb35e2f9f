import { type SqlBool, sql } from 'kysely'
import type { AuditedUpload } from '../../../ports/store.ts'
import type { Db } from '../db.ts'
import { prepared } from '../prepared.ts'
import { presentObject } from './objects.ts'

const ofChunks = (value: string) =>
  sql<number>`(select coalesce(${sql.raw(value)}, 0) from chunks where chunks.upload_id = uploads.upload_id)`
const ofReceipts = (column: 'drop_id' | 'asset_id') =>
  sql<number>`(select count(receipts.${sql.ref(column)}) from receipts where receipts.upload_id = uploads.upload_id)`
const isAssetRight = sql<0 | 1>`case when exists (
  select 1 from assets where assets.asset_id = uploads.asset_id
    and assets.account_id = uploads.account_id and assets.album_id = uploads.album_id
) then 1 else 0 end`

const page = prepared((db, given: { readonly after: string; readonly max: number }) =>
  db
    .selectFrom('uploads')
    .leftJoin('objects', 'objects.location', 'uploads.location')
    .leftJoin('links', 'links.opaque_id', 'uploads.opaque_id')
    .select(['uploads.upload_id', 'uploads.account_id', 'uploads.asset_id', 'uploads.size', 'uploads.ciphertext_hash'])
    .select(['uploads.location', 'uploads.state', 'uploads.created_at', 'last_chunk_at', 'received_bytes'])
    .select(['chunk_count', 'objects.state as object_state', 'objects.size as object_size'])
    .select(['links.account_id as link_account', 'links.max_file_size as link_max'])
    .select([
      ofChunks('count(*)').as('chunks'),
      ofChunks('sum(length)').as('chunk_bytes'),
      ofChunks('min("offset")').as('chunk_start'),
      ofChunks('max("offset" + length)').as('chunk_end'),
      ofReceipts('drop_id').as('landings'),
      ofReceipts('asset_id').as('blobs'),
      isAssetRight.as('is_asset_right'),
    ])
    .where(sql<SqlBool>`uploads.upload_id > ${given.after}`)
    .orderBy('uploads.upload_id')
    .limit(given.max),
)

export async function auditedUploads(db: Db, after: string, max: number): Promise<readonly AuditedUpload[]> {
  const rows = await page.all(db, { after, max })
  return rows.map((row) => ({
    uploadId: row.upload_id,
    accountId: row.account_id,
    assetId: row.asset_id ?? undefined,
    ciphertextHash: row.ciphertext_hash,
    size: row.size,
    location: row.location,
    state: row.state,
    createdAt: row.created_at,
    lastChunkAt: row.last_chunk_at ?? undefined,
    receivedBytes: row.received_bytes,
    chunkCount: row.chunk_count,
    chunks: { count: row.chunks, bytes: row.chunk_bytes, start: row.chunk_start, end: row.chunk_end },
    object: presentObject(row),
    receipts: { landings: row.landings, blobs: row.blobs },
    link:
      row.link_account === null ? undefined : { accountId: row.link_account, maxFileSize: row.link_max ?? undefined },
    isAssetRight: row.is_asset_right === 1,
  }))
}
