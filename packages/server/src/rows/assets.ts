import type { AssetId, Instant } from '@blindkeep/protocol/ids'
import { blobReads, blobWrites } from './assetBlobs.ts'
import type { Row } from './columns.ts'
import type { Db } from './db.ts'
import { changesOne, first, insertsUnless, runs } from './statements.ts'
import type { AdoptedDrop, Asset, assets } from './tables/assets.ts'
import { columnsOf } from './tables.ts'

type AssetRow = Row<typeof assets>

const byId = first((db, assetId: AssetId) =>
  db.selectFrom('assets').select(columnsOf('assets')).where('assetId', '=', assetId),
)

export const assetReads = {
  /** In any state. */
  async find(db: Db, assetId: AssetId): Promise<Asset | undefined> {
    const row = await byId(db, assetId)
    return row && assetOf(row)
  },
  ...blobReads,
}

const touching = changesOne((db, assetId: AssetId, at: Instant) =>
  db
    .updateTable('assets')
    .set((asset) => ({ createdAt: asset.fn.coalesce('createdAt', asset.val(at)), changedAt: at }))
    .where('assetId', '=', assetId)
    .where('deletedAt', 'is', null),
)

const origin = changesOne((db, assetId: AssetId, drop: AdoptedDrop | undefined) =>
  db
    .updateTable('assets')
    .set({ dropId: drop?.dropId, opaqueId: drop?.opaqueId, kemCt: drop?.kemCt, dropReceivedAt: drop?.receivedAt })
    .where('assetId', '=', assetId)
    .where('deletedAt', 'is', null),
)

const burial = changesOne((db, assetId: AssetId, at: Instant) =>
  db
    .updateTable('assets')
    .set({ deletedAt: at, changedAt: at, dropId: null, opaqueId: null, kemCt: null, dropReceivedAt: null })
    .where('assetId', '=', assetId)
    .where('createdAt', 'is not', null)
    .where('deletedAt', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('assetBlobs').select('blobSeq').where('assetBlobs.assetId', '=', assetId))),
    ),
)

const exhumation = changesOne((db, assetId: AssetId, at: Instant) =>
  db
    .updateTable('assets')
    .set({ deletedAt: null, changedAt: at })
    .where('assetId', '=', assetId)
    .where('deletedAt', 'is not', null),
)

/** All but `reserve` and `giveUp` throw for a missing asset or blob, or a tombstone: rows contradict each other. */
export const assetWrites = {
  /** Reserves an unused id. False if the id is taken, by any account. */
  reserve: insertsUnless('assets', 'assetId'),
  /** Removes a reservation if no blob has landed and no session is open or finishing. No error otherwise. */
  giveUp: runs((db, assetId: AssetId) =>
    db
      .deleteFrom('assets')
      .where('assetId', '=', assetId)
      .where('createdAt', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('assetBlobs').select('blobSeq').where('assetBlobs.assetId', '=', assetId))),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('uploads')
              .select('uploadId')
              .where('uploads.assetId', '=', assetId)
              .where('closedAt', 'is', null),
          ),
        ),
      ),
  ),
  ...blobWrites,
  /** Records a change of the asset; the first one is the landing of its first blob. */
  async touch(db: Db, assetId: AssetId, at: Instant): Promise<void> {
    if (!(await touching(db, assetId, at))) throw new Error('An asset changed that does not exist')
  },
  /** Records which drop became the original, or that none did. */
  async setDrop(db: Db, assetId: AssetId, drop: AdoptedDrop | undefined): Promise<void> {
    if (await origin(db, assetId, drop)) return
    throw new Error('An asset adopted a drop, but the asset does not exist')
  },
  /** Makes a tombstone of an asset without blobs. Throws while it has a blob. */
  async bury(db: Db, assetId: AssetId, at: Instant): Promise<void> {
    if (await burial(db, assetId, at)) return
    throw new Error('An asset was buried that does not exist or still has a blob')
  },
  /** Makes a tombstone an asset again, to which the caller adds its blobs and its drop. */
  async exhume(db: Db, assetId: AssetId, at: Instant): Promise<void> {
    if (await exhumation(db, assetId, at)) return
    throw new Error('An asset was exhumed that has no tombstone')
  },
}

/** The table's checks make sure that all four of the drop are present, or none. */
export function assetOf({ dropId, opaqueId, kemCt, dropReceivedAt: receivedAt, ...asset }: AssetRow): Asset {
  const isAdopted = dropId !== undefined && opaqueId !== undefined && kemCt !== undefined && receivedAt !== undefined
  return { ...asset, drop: isAdopted ? { dropId, opaqueId, kemCt, receivedAt } : undefined }
}
