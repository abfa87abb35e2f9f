import { addSeconds, type Instant, instantOf, type Sha256Hex, type UploadId } from '@blindkeep/protocol/ids'
import { type Kysely, type Selectable, sql } from 'kysely'
import type {
  KeptObject,
  ObjectReads,
  ObjectState,
  ObjectToDelete,
  ObjectWrites,
  StoredObject,
} from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { statusColumns, statusOf } from './objectStatus.ts'
import { apart, prepared, preparedForList, type Some, someOf } from './prepared.ts'
import type { ObjectTable, Schema } from './schema.ts'

const byLocation = prepared((db, given: { readonly location: string }) =>
  db.selectFrom('objects').select(columnsOf('objects')).where('location', '=', given.location),
)

const inState = prepared((db, given: { readonly state: ObjectState; readonly before: Instant; readonly max: number }) =>
  db
    .selectFrom('objects')
    .select(columnsOf('objects'))
    .where('state', '=', given.state)
    .where('since', '<', given.before)
    .orderBy('since')
    .orderBy('location')
    .limit(given.max),
)

const standingByLocation = prepared((db, given: { readonly location: string; readonly ciphertextHash: Sha256Hex }) =>
  db
    .selectFrom('objects')
    .leftJoin('holds', (join) => join.on((on) => on('holds.ciphertext_hash', '=', given.ciphertextHash)))
    .select(statusColumns)
    .where('location', '=', given.location),
)

const kept = (db: Kysely<Schema>) =>
  db.selectFrom('objects').select(['location', 'size', 'checked_at', 'damaged_at']).where('state', '=', 'kept')

const keptByLocation = prepared((db, given: { readonly location: string }) =>
  kept(db).where('location', '=', given.location),
)

interface ScrubRange {
  readonly before: Instant
  readonly afterCheckedAt: Instant
  readonly afterLocation: string
  readonly max: number
}

const toScrub = prepared((db, given: ScrubRange) =>
  kept(db)
    .where('checked_at', '<', given.before)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('checked_at', 'location'), '>', tuple(given.afterCheckedAt, given.afterLocation)),
    )
    .orderBy('checked_at')
    .orderBy('location')
    .limit(given.max),
)

/** Earlier than every instant. */
const BEFORE_ALL = instantOf(Number.MIN_SAFE_INTEGER)

const blobAt = prepared((db, given: { readonly location: string }) =>
  db.selectFrom('asset_blobs').select(['asset_id', 'role']).where('location', '=', given.location),
)

const dropAt = prepared((db, given: { readonly location: string; readonly uploadId: UploadId }) =>
  db
    .selectFrom('drops')
    .select('drop_id')
    .where('upload_id', '=', given.uploadId)
    .where('location', '=', given.location),
)

const insertion = apart(
  prepared((db, given: StoredObject) =>
    db.insertInto('objects').values({
      location: given.location,
      size: given.size,
      state: given.state,
      since: given.since,
      checked_at: given.since,
    }),
  ),
)

interface Step {
  readonly location: string
  readonly from: ObjectState
  readonly to: ObjectState
  readonly at: Instant
}

const movement = prepared((db, given: Step) =>
  db
    .updateTable('objects')
    .set({ state: given.to, since: given.at })
    .where('location', '=', given.location)
    .where('state', '=', given.from),
)

/** A session hashes all bytes right before its object is kept, so that counts as a check. */
const keeping = apart(
  preparedForList((db, rows: Some<Omit<Step, 'from' | 'to'>>) =>
    db
      .updateTable('objects')
      .set({ state: 'kept', since: rows[0].at, checked_at: rows[0].at })
      .where(
        'location',
        'in',
        rows.map(({ location }) => location),
      )
      .where('state', '=', 'staged'),
  ),
)

/** Finds each row that could name the object by an index. */
const startingToDelete = prepared((db, given: ObjectToDelete) =>
  db
    .updateTable('objects')
    .set({ state: 'deleting', since: given.at })
    .where('location', '=', given.location)
    .where('state', '=', 'marked')
    .where('since', '<', given.before)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('asset_blobs').select('blob_seq').where('asset_blobs.location', '=', given.location))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('drops').select('drop_seq').where('drops.upload_id', '=', given.uploadId))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('uploads')
            .select('uploads.upload_id')
            .where('uploads.upload_id', '=', given.uploadId)
            .where('closed_at', 'is', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('holds').select('holds.ciphertext_hash').where('ciphertext_hash', '=', given.ciphertextHash)),
      ),
    ),
)

interface Reading {
  readonly location: string
  readonly at: Instant
}

const marking = prepared((db, given: Reading) =>
  db
    .updateTable('objects')
    .set((object) => ({
      checked_at: given.at,
      damaged_at: object.fn.coalesce('damaged_at', object.val(given.at)),
      suspected_at: null,
    }))
    .where('location', '=', given.location)
    .where('state', '=', 'kept'),
)

const suspicion = prepared((db, given: Reading) =>
  db
    .updateTable('objects')
    .set((object) => ({ suspected_at: object.fn.coalesce('suspected_at', object.val(given.at)) }))
    .where('location', '=', given.location)
    .where('state', '=', 'kept')
    .where('damaged_at', 'is', null),
)

const suspected = prepared((db, given: { readonly max: number }) =>
  kept(db).where('suspected_at', 'is not', null).orderBy('suspected_at').orderBy('location').limit(given.max),
)

interface DamagedDue {
  readonly at: Instant
  readonly before: Instant
  readonly max: number
}

/** SQLite cannot tell how few objects are damaged. The plus keeps it from the index of all kept ones, whose entries of a month it would read. */
const damagedDue = prepared((db, given: DamagedDue) =>
  kept(db)
    .where('damaged_at', 'is not', null)
    .where(sql`+${sql.ref('checked_at')}`, '<=', given.before)
    .where(({ eb, ref }) =>
      eb(eb(eb(ref('checked_at'), '+', ref('checked_at')), '-', ref('damaged_at')), '<=', given.at),
    )
    .orderBy('checked_at')
    .orderBy('location')
    .limit(given.max),
)

const clearing = prepared((db, given: Reading & { readonly readAt: Instant }) =>
  db
    .updateTable('objects')
    .set((object) => ({
      checked_at: given.at,
      damaged_at: object.case().when('damaged_at', '>', given.readAt).then(object.ref('damaged_at')).end(),
      suspected_at: object.case().when('suspected_at', '>', given.readAt).then(object.ref('suspected_at')).end(),
    }))
    .where('location', '=', given.location)
    .where('state', '=', 'kept'),
)

const removal = prepared((db, given: { readonly location: string }) =>
  db.deleteFrom('objects').where('location', '=', given.location),
)

export function objectReads(db: Db): ObjectReads {
  return {
    async find(location) {
      const row = await byLocation.first(db, { location })
      return row && objectOf(row)
    },
    async listIn(state, before, max) {
      return (await inState.all(db, { state, before, max })).map(objectOf)
    },
    async statusOf(location, ciphertextHash) {
      const row = await standingByLocation.first(db, { location, ciphertextHash })
      return row && statusOf(row)
    },
    async findKept(location) {
      const row = await keptByLocation.first(db, { location })
      return row && keptOf(row)
    },
    async listToScrub({ before, after, max }) {
      const { checkedAt, location } = after ?? { checkedAt: BEFORE_ALL, location: '' }
      const range = { before, afterCheckedAt: checkedAt, afterLocation: location, max }
      return (await toScrub.all(db, range)).map(keptOf)
    },
    async listSuspected(max) {
      return (await suspected.all(db, { max })).map(keptOf)
    },
    async listDamaged({ at, leastSeconds, max }) {
      return (await damagedDue.all(db, { at, before: addSeconds(at, -leastSeconds), max })).map(keptOf)
    },
    async ownerOf(location, uploadId) {
      const blob = await blobAt.first(db, { location })
      if (blob !== undefined) return { assetId: blob.asset_id, role: blob.role }
      const drop = await dropAt.first(db, { location, uploadId })
      return drop && { dropId: drop.drop_id }
    },
  }
}

export function objectWrites(db: Db): ObjectWrites {
  return {
    async insert(object) {
      await insertion.changed(db, object)
    },
    async move(location, step) {
      return (await movement.changed(db, { location, ...step })) === 1
    },
    async keep(locations, at) {
      return (await keeping.changed(db, someOf(locations.map((location) => ({ location, at }))))) === locations.length
    },
    async startDeleting(object) {
      return (await startingToDelete.changed(db, object)) === 1
    },
    async suspect(location, at) {
      await suspicion.changed(db, { location, at })
    },
    async markDamaged(location, at) {
      return (await marking.changed(db, { location, at })) === 1
    },
    async noteIntact(location, times) {
      return (await clearing.changed(db, { location, ...times })) === 1
    },
    async remove(location) {
      await removal.changed(db, { location })
    },
  }
}

function objectOf({ location, size, state, since }: Selectable<ObjectTable>): StoredObject {
  return { location, size, state, since }
}

function keptOf(row: Pick<Selectable<ObjectTable>, 'location' | 'size' | 'checked_at' | 'damaged_at'>): KeptObject {
  return {
    location: row.location,
    size: row.size,
    checkedAt: row.checked_at,
    damagedAt: row.damaged_at ?? undefined,
  }
}
