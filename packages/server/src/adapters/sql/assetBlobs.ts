/** The blobs of assets. */

import type { AccountId, AssetId, Sha256Hex } from '@blindkeep/protocol/ids'
import type { Kysely, Selectable } from 'kysely'
import type { AssetBlob, AssetReads, AssetWrites, HeldBlob } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { envelopeOf, envelopeText } from './envelopes.ts'
import { type StatusRow, statusColumns, statusOf } from './objectStatus.ts'
import { prepared } from './prepared.ts'
import type { AssetBlobTable, Schema } from './schema.ts'

interface Given {
  readonly assetId: AssetId
}

const blobsOfAsset = prepared((db, given: Given) =>
  db
    .selectFrom('asset_blobs')
    .select(columnsOf('asset_blobs'))
    .where('asset_id', '=', given.assetId)
    .orderBy('blob_seq'),
)

const held = (db: Kysely<Schema>) =>
  db
    .selectFrom('asset_blobs')
    .innerJoin('objects', 'objects.location', 'asset_blobs.location')
    .leftJoin('holds', 'holds.ciphertext_hash', 'asset_blobs.ciphertext_hash')
    .select(['role', 'asset_blobs.ciphertext_hash', 'asset_blobs.size', 'asset_blobs.location', ...statusColumns])
    .orderBy('blob_seq')

// A tombstone never has blobs, so these queries need not check whether the asset is live.
const heldByAsset = prepared((db, given: Given & { readonly accountId: AccountId }) =>
  held(db).where('asset_id', '=', given.assetId).where('account_id', '=', given.accountId),
)

const heldOfContent = prepared((db, given: { readonly accountId: AccountId; readonly ciphertextHash: Sha256Hex }) =>
  held(db).where('account_id', '=', given.accountId).where('asset_blobs.ciphertext_hash', '=', given.ciphertextHash),
)

/** Copies the account from the live asset. If no live asset exists, account_id is NULL and the insert fails. */
const insertion = prepared((db, given: AssetBlob & { readonly envelopeText: string }) =>
  db.insertInto('asset_blobs').values(({ selectFrom }) => ({
    asset_id: given.assetId,
    account_id: selectFrom('assets')
      .select('assets.account_id')
      .where('assets.asset_id', '=', given.assetId)
      .where('deleted_at', 'is', null)
      .$asScalar()
      .$notNull(),
    role: given.role,
    ciphertext_hash: given.ciphertextHash,
    size: given.size,
    location: given.location,
    upload_id: given.uploadId,
    content_type: given.contentType,
    landed_at: given.landedAt,
    envelope: given.envelopeText,
    retained_until: given.retainedUntil,
  })),
)

const lastRetained = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('asset_blobs')
    .select('retained_until')
    .where('account_id', '=', given.accountId)
    .where('retained_until', 'is not', null)
    .orderBy('retained_until', 'desc')
    .limit(1),
)

const someWithBlobs = prepared((db, given: { readonly accountId: AccountId; readonly max: number }) =>
  db.selectFrom('asset_blobs').select('asset_id').where('account_id', '=', given.accountId).limit(given.max),
)

const removal = prepared((db, given: { readonly location: string }) =>
  db.deleteFrom('asset_blobs').where('location', '=', given.location),
)

export function blobReads(
  db: Db,
): Pick<AssetReads, 'blobsOf' | 'liveBlobsOf' | 'objectsOf' | 'retainedUntil' | 'someWithBlobs'> {
  return {
    async blobsOf(assetId) {
      return (await blobsOfAsset.all(db, { assetId })).map(blobOf)
    },
    async liveBlobsOf(accountId, assetId) {
      return (await heldByAsset.all(db, { accountId, assetId })).map(heldOf)
    },
    async objectsOf(accountId, ciphertextHash) {
      return (await heldOfContent.all(db, { accountId, ciphertextHash })).map(heldOf)
    },
    async retainedUntil(accountId) {
      return (await lastRetained.first(db, { accountId }))?.retained_until ?? undefined
    },
    async someWithBlobs(accountId, max) {
      const rows = await someWithBlobs.all(db, { accountId, max })
      return [...new Set(rows.map((row) => row.asset_id))]
    },
  }
}

export function blobWrites(db: Db): Pick<AssetWrites, 'addBlob' | 'removeBlob'> {
  return {
    async addBlob(blob) {
      await insertion.changed(db, { ...blob, envelopeText: envelopeText(blob.envelope) })
    },
    async removeBlob(location) {
      if ((await removal.changed(db, { location })) === 1) return
      throw new Error('No asset has the blob to remove')
    },
  }
}

export function blobOf(row: Selectable<AssetBlobTable>): AssetBlob {
  return {
    assetId: row.asset_id,
    role: row.role,
    ciphertextHash: row.ciphertext_hash,
    size: row.size,
    contentType: row.content_type,
    location: row.location,
    uploadId: row.upload_id,
    envelope: envelopeOf(row.envelope),
    landedAt: row.landed_at,
    retainedUntil: row.retained_until ?? undefined,
  }
}

type HeldRow = Pick<Selectable<AssetBlobTable>, 'role' | 'ciphertext_hash' | 'size' | 'location'> & StatusRow

function heldOf(row: HeldRow): HeldBlob {
  return {
    role: row.role,
    ciphertextHash: row.ciphertext_hash,
    size: row.size,
    location: row.location,
    ...statusOf(row),
  }
}
