import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db.ts'
import { all } from '../statements.ts'
import type { AuditedUpload } from './audited.ts'
import { presentObject } from './objects.ts'

const ofChunks = (value: string) =>
  sql<number>`(select coalesce(${sql.raw(value)}, 0) from chunks where chunks.upload_id = uploads.upload_id)`
const ofReceipts = (column: 'drop_id' | 'asset_id') =>
  sql<number>`(select count(receipts.${sql.ref(column)}) from receipts where receipts.upload_id = uploads.upload_id)`
const isAssetRight = sql<0 | 1>`case when exists (
  select 1 from assets where assets.asset_id = uploads.asset_id
    and assets.account_id = uploads.account_id and assets.album_id = uploads.album_id
) then 1 else 0 end`

const page = all((db, after: string, max: number) =>
  db
    .selectFrom('uploads')
    .leftJoin('objects', 'objects.location', 'uploads.location')
    .leftJoin('links', 'links.opaqueId', 'uploads.opaqueId')
    .select(['uploads.uploadId', 'uploads.accountId', 'uploads.assetId', 'uploads.size', 'uploads.ciphertextHash'])
    .select(['uploads.location', 'uploads.state', 'uploads.createdAt', 'lastChunkAt', 'receivedBytes'])
    .select(['chunkCount', 'objects.state as objectState', 'objects.size as objectSize'])
    .select(['links.accountId as linkAccount'])
    .select([
      ofChunks('count(*)').as('chunks'),
      ofChunks('sum(length)').as('chunkBytes'),
      ofChunks('min("offset")').as('chunkStart'),
      ofChunks('max("offset" + length)').as('chunkEnd'),
      ofReceipts('drop_id').as('landings'),
      ofReceipts('asset_id').as('blobs'),
      isAssetRight.as('isAssetRight'),
    ])
    .where(sql<SqlBool>`uploads.upload_id > ${after}`)
    .orderBy('uploads.uploadId')
    .limit(max),
)

export async function auditedUploads(db: Db, after: string, max: number): Promise<readonly AuditedUpload[]> {
  return (await page(db, after, max)).map((row) => {
    const { objectState, objectSize, chunks, chunkBytes, chunkStart, chunkEnd, landings, blobs, ...rest } = row
    const { linkAccount, isAssetRight, ...upload } = rest
    return {
      ...upload,
      chunks: { count: chunks, bytes: chunkBytes, start: chunkStart, end: chunkEnd },
      object: presentObject(objectState, objectSize),
      receipts: { landings, blobs },
      link: linkAccount && { accountId: linkAccount },
      isAssetRight: isAssetRight === 1,
    }
  })
}
