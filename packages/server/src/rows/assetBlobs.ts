/** The blobs of assets. */

import type { AccountId, AssetId, Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Kysely } from 'kysely'
import type { Db } from './db.ts'
import { type ObjectStatus, type StatusRow, statusColumns, statusOf } from './objectStatus.ts'
import { all, changesOne, runs, value, values } from './statements.ts'
import type { AssetBlob } from './tables/assets.ts'
import { columnsOf, newRow, type Tables } from './tables.ts'

/** A blob and the status of its object: the input of a verdict. */
export interface HeldBlob extends ObjectStatus {
  readonly role: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  readonly location: string
}

const held = (db: Kysely<Tables>) =>
  db
    .selectFrom('assetBlobs')
    .innerJoin('objects', 'objects.location', 'assetBlobs.location')
    .leftJoin('holds', 'holds.ciphertextHash', 'assetBlobs.ciphertextHash')
    .select(['role', 'assetBlobs.ciphertextHash', 'assetBlobs.size', 'assetBlobs.location', ...statusColumns])
    .orderBy('blobSeq')

// A tombstone never has blobs, so these queries need not check whether the asset is live.
const heldByAsset = all((db, accountId: AccountId, assetId: AssetId) =>
  held(db).where('assetId', '=', assetId).where('accountId', '=', accountId).where('pendingAfter', 'is', null),
)

const heldOfContent = all((db, accountId: AccountId, ciphertextHash: Sha256Hex) =>
  held(db).where('accountId', '=', accountId).where('assetBlobs.ciphertextHash', '=', ciphertextHash),
)

const someWithBlobs = values((db, accountId: AccountId, max: number) =>
  db.selectFrom('assetBlobs').select('assetId').where('accountId', '=', accountId).limit(max),
)

const pendingBefore = all((db, before: Instant, max: number) =>
  db
    .selectFrom('assetBlobs')
    .select(['accountId', 'assetId'])
    .where('pendingAfter', 'is not', null)
    .where('landedAt', '<', before)
    .limit(max),
)

export const blobReads = {
  /** In the order of landing. */
  blobsOf: all((db, assetId: AssetId) =>
    db.selectFrom('assetBlobs').select(columnsOf('assetBlobs')).where('assetId', '=', assetId).orderBy('blobSeq'),
  ),
  /** The blobs of a live asset of this account, but those that wait, in the order of landing. None of other assets. */
  async liveBlobsOf(db: Db, accountId: AccountId, assetId: AssetId): Promise<readonly HeldBlob[]> {
    return (await heldByAsset(db, accountId, assetId)).map(heldOf)
  },
  /** Every blob with this content in live assets of the account. */
  async objectsOf(db: Db, accountId: AccountId, ciphertextHash: Sha256Hex): Promise<readonly HeldBlob[]> {
    return (await heldOfContent(db, accountId, ciphertextHash)).map(heldOf)
  },
  /** Until when the last of the account’s assets is retained; undefined if none ever was. */
  retainedUntil: value((db, accountId: AccountId) =>
    db
      .selectFrom('assetBlobs')
      .select('retainedUntil')
      .where('accountId', '=', accountId)
      .where('retainedUntil', 'is not', null)
      .orderBy('retainedUntil', 'desc')
      .limit(1),
  ),
  /** Some assets of the account that have blobs, each once, in no order: the assets of the first `max` blobs. */
  async someWithBlobs(db: Db, accountId: AccountId, max: number): Promise<readonly AssetId[]> {
    return [...new Set(await someWithBlobs(db, accountId, max))]
  },
  /** At most `max` assets with metadata that wait since before this time. */
  pendingBefore,
}

const retaining = changesOne((db, location: string, until: Instant) =>
  db
    .updateTable('assetBlobs')
    .set({ retainedUntil: until })
    .where('location', '=', location)
    .where(({ eb, or }) => or([eb('retainedUntil', 'is', null), eb('retainedUntil', '<', until)])),
)

const showing = changesOne((db, location: string) =>
  db
    .updateTable('assetBlobs')
    .set({ pendingAfter: null })
    .where('location', '=', location)
    .where('pendingAfter', 'is not', null),
)

const removal = changesOne((db, location: string) => db.deleteFrom('assetBlobs').where('location', '=', location))

export const blobWrites = {
  /** Copies the account from the live asset. If no live asset exists, the account is NULL and the insertion fails. */
  addBlob: runs((db, blob: AssetBlob) =>
    db.insertInto('assetBlobs').values(({ selectFrom }) => ({
      ...newRow('assetBlobs', blob),
      accountId: selectFrom('assets')
        .select('assets.accountId')
        .where('assets.assetId', '=', blob.assetId)
        .where('deletedAt', 'is', null)
        .$asScalar()
        .$notNull(),
    })),
  ),
  /** Its asset is retained until then at least. Never makes it earlier. Throws if no asset has the blob. */
  async retain(db: Db, location: string, until: Instant): Promise<void> {
    if (!(await retaining(db, location, until))) throw new Error('No asset has the blob to retain, or for longer')
  },
  /** Metadata that waited become those of their asset. The caller has removed the former ones. */
  async showPending(db: Db, location: string): Promise<void> {
    if (!(await showing(db, location))) throw new Error('No metadata wait at this location')
  },
  /** Removes one blob from its asset. The caller moves the object to its next state. */
  async removeBlob(db: Db, location: string): Promise<void> {
    if (!(await removal(db, location))) throw new Error('No asset has the blob to remove')
  },
}

function heldOf(row: Pick<AssetBlob, 'role' | 'ciphertextHash' | 'size' | 'location'> & StatusRow): HeldBlob {
  const { role, ciphertextHash, size, location } = row
  return { role, ciphertextHash, size, location, ...statusOf(row) }
}
