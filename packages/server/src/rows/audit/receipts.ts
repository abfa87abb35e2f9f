import type { Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { all } from '../statements.ts'
import { columnsOf } from '../tables.ts'
import type { AuditedReceipt, Subject } from './audited.ts'

/**
 * Of the blob that the asset has in this role, if it does not hold the one that is attested. The condition
 * `role <> 'derivative'` lets SQLite use the index of the roles that an asset has once.
 */
const ofHeld = <Value>(role: BlobRole, value: 'max(later.receipt_seq)' | 'max(held.envelope)') => sql<Value | null>`case
  when asset_blobs.blob_seq is null then (
    select ${sql.raw(value)} from asset_blobs as held
      join receipts as later on later.upload_id = held.upload_id and later.asset_id = held.asset_id
    where held.asset_id = receipts.asset_id
      and held.role = ${sql.lit(role)} and held.role <> 'derivative' and held.pending_after is null
  )
end`

const page = all((db, after: number, max: number) =>
  db
    .selectFrom('receipts')
    .leftJoin('uploads', 'uploads.uploadId', 'receipts.uploadId')
    .leftJoin('drops', 'drops.uploadId', 'receipts.uploadId')
    .leftJoin('assets', 'assets.assetId', 'receipts.assetId')
    .leftJoin('assetBlobs', (join) =>
      join.onRef('assetBlobs.assetId', '=', 'receipts.assetId').onRef('assetBlobs.uploadId', '=', 'receipts.uploadId'),
    )
    .select(columnsOf('receipts'))
    .select(['uploads.ciphertextHash as uploadHash', 'uploads.size as uploadSize', 'uploads.role as uploadRole'])
    .select(['drops.ciphertextHash as dropHash', 'drops.size as dropSize'])
    .select(['assetBlobs.ciphertextHash as blobHash', 'assetBlobs.size as blobSize', 'assetBlobs.role as blobRole'])
    .select(['assets.accountId as assetAccount', 'assets.deletedAt as deletedAt'])
    .select(ofHeld<number>('original', 'max(later.receipt_seq)').as('originalSeq'))
    .select(ofHeld<number>('provenance', 'max(later.receipt_seq)').as('signedSeq'))
    .select(ofHeld<string>('provenance', 'max(held.envelope)').as('signedEnvelope'))
    .where('receipts.receiptSeq', '>', after)
    .orderBy('receipts.receiptSeq')
    .limit(max),
)

export async function auditedReceipts(db: Db, after: number, max: number): Promise<readonly AuditedReceipt[]> {
  return (await page(db, after, max)).map((found) => {
    const { uploadHash, uploadSize, uploadRole, dropHash, dropSize, blobHash, blobSize, blobRole, ...rest } = found
    const { assetAccount, deletedAt, originalSeq, signedSeq, signedEnvelope, ...row } = rest
    const signed =
      signedSeq === undefined ? undefined : { receiptSeq: signedSeq, metadataHash: namedMetadata(signedEnvelope) }
    return {
      row,
      hasUpload: uploadHash !== undefined,
      asset: assetAccount && { isDeleted: deletedAt !== undefined, originalSeq, signed },
      subjects: [
        ...subject('session', { ciphertextHash: uploadHash, size: uploadSize, role: uploadRole }),
        ...subject('drop', { ciphertextHash: dropHash, size: dropSize }),
        ...subject('blob', { ciphertextHash: blobHash, size: blobSize, role: blobRole }),
      ],
    }
  })
}

/** Of an envelope as text, which may be damaged. */
function namedMetadata(envelope = ''): unknown {
  try {
    return JSON.parse(envelope).metadata_blob_hash
  } catch {
    return undefined
  }
}

interface Joined {
  readonly ciphertextHash: Sha256Hex | undefined
  readonly size: number | undefined
  readonly role?: BlobRole | undefined
}

/** Empty if there is no such row. A guest's session and a drop have no role: they land as an original. */
function subject(what: Subject['what'], { ciphertextHash, size, role = 'original' }: Joined): readonly Subject[] {
  return ciphertextHash === undefined || size === undefined ? [] : [{ what, ciphertextHash, size, role }]
}
