import type { AssetId, Instant } from '@blindkeep/protocol/ids'
import type { Selectable } from 'kysely'
import type { AdoptedDrop, Asset, AssetReads, AssetWrites, NewAsset } from '../../ports/store.ts'
import { blobReads, blobWrites } from './assetBlobs.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { AssetTable } from './schema.ts'

interface Given {
  readonly assetId: AssetId
}

const byId = prepared((db, given: Given) =>
  db.selectFrom('assets').select(columnsOf('assets')).where('asset_id', '=', given.assetId),
)

const reservation = prepared((db, given: NewAsset) =>
  db
    .insertInto('assets')
    .values({ asset_id: given.assetId, account_id: given.accountId, album_id: given.albumId })
    .onConflict((conflict) => conflict.column('asset_id').doNothing()),
)

const removalOfReservation = prepared((db, given: Given) =>
  db
    .deleteFrom('assets')
    .where('asset_id', '=', given.assetId)
    .where('created_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('asset_blobs').select('blob_seq').where('asset_blobs.asset_id', '=', given.assetId))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('uploads')
            .select('upload_id')
            .where('uploads.asset_id', '=', given.assetId)
            .where('closed_at', 'is', null),
        ),
      ),
    ),
)

const touching = prepared((db, given: Given & { readonly at: Instant }) =>
  db
    .updateTable('assets')
    .set((asset) => ({ created_at: asset.fn.coalesce('created_at', asset.val(given.at)), changed_at: given.at }))
    .where('asset_id', '=', given.assetId)
    .where('deleted_at', 'is', null),
)

interface Origin extends Given, Partial<AdoptedDrop> {}

const origin = prepared((db, given: Origin) =>
  db
    .updateTable('assets')
    .set({
      drop_id: given.dropId,
      opaque_id: given.opaqueId,
      kem_ct: given.kemCt,
      drop_received_at: given.receivedAt,
    })
    .where('asset_id', '=', given.assetId)
    .where('deleted_at', 'is', null),
)

const burial = prepared((db, given: Given & { readonly at: Instant }) =>
  db
    .updateTable('assets')
    .set({
      deleted_at: given.at,
      changed_at: given.at,
      drop_id: null,
      opaque_id: null,
      kem_ct: null,
      drop_received_at: null,
    })
    .where('asset_id', '=', given.assetId)
    .where('created_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('asset_blobs').select('blob_seq').where('asset_blobs.asset_id', '=', given.assetId))),
    ),
)

export function assetReads(db: Db): AssetReads {
  return {
    async find(assetId) {
      const row = await byId.first(db, { assetId })
      return row && assetOf(row)
    },
    ...blobReads(db),
  }
}

export function assetWrites(db: Db): AssetWrites {
  return {
    async reserve(asset) {
      return (await reservation.changed(db, asset)) === 1
    },
    async giveUp(assetId) {
      await removalOfReservation.changed(db, { assetId })
    },
    ...blobWrites(db),
    async touch(assetId, at) {
      if ((await touching.changed(db, { assetId, at })) === 1) return
      throw new Error('An asset changed that does not exist')
    },
    async setDrop(assetId, drop) {
      if ((await origin.changed(db, { assetId, ...drop })) === 1) return
      throw new Error('An asset adopted a drop, but the asset does not exist')
    },
    async bury(assetId, at) {
      if ((await burial.changed(db, { assetId, at })) === 1) return
      throw new Error('An asset was buried that does not exist or still has a blob')
    },
  }
}

export function assetOf(row: Selectable<AssetTable>): Asset {
  return {
    assetId: row.asset_id,
    accountId: row.account_id,
    albumId: row.album_id,
    drop: adoptedDropOf(row),
    createdAt: row.created_at ?? undefined,
    changedAt: row.changed_at ?? undefined,
    deletedAt: row.deleted_at ?? undefined,
  }
}

/** The table's checks make sure that all four are present, or none. */
function adoptedDropOf(row: Selectable<AssetTable>): AdoptedDrop | undefined {
  const { drop_id: dropId, opaque_id: opaqueId, kem_ct: kemCt, drop_received_at: receivedAt } = row
  if (dropId === null || opaqueId === null || kemCt === null || receivedAt === null) return undefined
  return { dropId, opaqueId, kemCt, receivedAt }
}
