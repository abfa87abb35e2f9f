import {
  type AssetId,
  addSeconds,
  type DropId,
  type Instant,
  instantOf,
  type Sha256Hex,
  type UploadId,
} from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { type Kysely, sql } from 'kysely'
import type { Db } from './db.ts'
import { type ObjectStatus, statusColumns, statusOf } from './objectStatus.ts'
import { all, apart, changesOne, first, forList, runs, type Some } from './statements.ts'
import type { ObjectState, StoredObject } from './tables/objects.ts'
import { columnsOf, type Tables } from './tables.ts'

/** A kept object, as the scrubber needs it. */
export interface KeptObject {
  readonly location: string
  readonly size: number
  /** When the scrubber last read all of it, or tried to, if it is doubtful. */
  readonly checkedAt: Instant
  readonly damagedAt: Instant | undefined
  readonly suspectedAt: Instant | undefined
}

/** What owns a kept object, by ids that the account's owner knows. */
type ObjectOwner =
  | { readonly assetId: AssetId; readonly role: BlobRole; readonly dropId?: undefined }
  | { readonly dropId: DropId; readonly assetId?: undefined }

const standingByLocation = first((db, location: string, ciphertextHash: Sha256Hex) =>
  db
    .selectFrom('objects')
    .leftJoin('holds', (join) => join.on((on) => on('holds.ciphertextHash', '=', ciphertextHash)))
    .select(statusColumns)
    .where('location', '=', location),
)

const keptObjects = (db: Kysely<Tables>) =>
  db
    .selectFrom('objects')
    .select(['location', 'size', 'checkedAt', 'damagedAt', 'suspectedAt'])
    .where('state', '=', 'kept')

type ScrubPlace = Pick<KeptObject, 'checkedAt' | 'location'>

const toScrub = all((db, before: Instant, after: ScrubPlace, max: number) =>
  keptObjects(db)
    .where('checkedAt', '<', before)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('checkedAt', 'location'), '>', tuple(after.checkedAt, after.location)),
    )
    .orderBy('checkedAt')
    .orderBy('location')
    .limit(max),
)

const BEFORE_ALL: ScrubPlace = { checkedAt: instantOf(Number.MIN_SAFE_INTEGER), location: '' }

/** As much time has passed since the last reading as between the first finding and that reading. */
const hasWaited = (since: 'damagedAt' | 'suspectedAt', at: Instant) =>
  sql<boolean>`checked_at + checked_at - ${sql.ref(since)} <= ${at}`

/** SQLite cannot tell how few are damaged. The plus keeps it from the index of all kept ones. */
const damagedDue = all((db, at: Instant, before: Instant, max: number) =>
  keptObjects(db)
    .where('damagedAt', 'is not', null)
    .where(sql`+${sql.ref('checkedAt')}`, '<=', before)
    .where(hasWaited('damagedAt', at))
    .orderBy('checkedAt')
    .orderBy('location')
    .limit(max),
)

const suspectedDue = all((db, at: Instant, longAgo: Instant, max: number) =>
  keptObjects(db)
    .where('suspectedAt', 'is not', null)
    .where(({ or, eb }) =>
      or([eb('checkedAt', '<=', eb.ref('suspectedAt')), eb('checkedAt', '<=', longAgo), hasWaited('suspectedAt', at)]),
    )
    .orderBy('suspectedAt', 'desc')
    .orderBy('location', 'desc')
    .limit(max),
)

const blobAt = first((db, location: string) =>
  db.selectFrom('assetBlobs').select(['assetId', 'role']).where('location', '=', location),
)

const dropAt = first((db, location: string, uploadId: UploadId) =>
  db.selectFrom('drops').select('dropId').where('uploadId', '=', uploadId).where('location', '=', location),
)

export const objectReads = {
  find: first((db, location: string) =>
    db.selectFrom('objects').select(columnsOf('objects')).where('location', '=', location),
  ),
  /** At most `max` objects that are in `state` since before `before`, oldest first. */
  listIn: all((db, state: ObjectState, before: Instant, max: number) =>
    db
      .selectFrom('objects')
      .select(columnsOf('objects'))
      .where('state', '=', state)
      .where('since', '<', before)
      .orderBy('since')
      .orderBy('location')
      .limit(max),
  ),
  /** `ciphertextHash` is the hash of its content. Undefined if there is no such object. */
  async statusOf(db: Db, location: string, ciphertextHash: Sha256Hex): Promise<ObjectStatus | undefined> {
    const row = await standingByLocation(db, location, ciphertextHash)
    return row && statusOf(row)
  },
  /** At most `max` kept objects last read before `before`, longest unread first, from the first after `after`. */
  listToScrub(
    db: Db,
    range: { readonly before: Instant; readonly after: ScrubPlace | undefined; readonly max: number },
  ): Promise<readonly KeptObject[]> {
    return toScrub(db, range.before, range.after ?? BEFORE_ALL, range.max)
  },
  /**
   * At most `max` suspected kept objects that are due to be read again at `at`, the last suspected first. One that was
   * not read since is due at once; another one waits as `listDamaged` says, and at most `mostSeconds`.
   */
  listSuspected(
    db: Db,
    due: { readonly at: Instant; readonly mostSeconds: number; readonly max: number },
  ): Promise<readonly KeptObject[]> {
    return suspectedDue(db, due.at, addSeconds(due.at, -due.mostSeconds), due.max)
  },
  /**
   * At most `max` damaged kept objects that are due to be read again at `at`, the longest unread first: after
   * `leastSeconds`, and then whenever as much time has passed since the last reading as between the first finding and
   * that reading.
   */
  listDamaged(
    db: Db,
    due: { readonly at: Instant; readonly leastSeconds: number; readonly max: number },
  ): Promise<readonly KeptObject[]> {
    return damagedDue(db, due.at, addSeconds(due.at, -due.leastSeconds), due.max)
  },
  /** `uploadId` is the session that brought the object. */
  async ownerOf(db: Db, location: string, uploadId: UploadId): Promise<ObjectOwner | undefined> {
    return (await blobAt(db, location)) ?? (await dropAt(db, location, uploadId))
  },
}

/** A marked object whose grace window is over, with the ids in its location. */
export interface ObjectToDelete {
  readonly location: string
  readonly uploadId: UploadId
  readonly ciphertextHash: Sha256Hex
  /** It has to be marked since before this instant. */
  readonly before: Instant
  readonly at: Instant
}

/** A session hashes all bytes right before its object is kept, so that counts as a check. */
const keeping = forList(
  apart((db, locations: Some<string>, at: Instant) =>
    db
      .updateTable('objects')
      .set({ state: 'kept', since: at, checkedAt: at })
      .where('location', 'in', locations)
      .where('state', '=', 'staged'),
  ),
)

export interface ObjectStep {
  readonly from: ObjectState
  readonly to: Exclude<ObjectState, 'kept'>
  readonly at: Instant
}

export const objectWrites = {
  insert: runs(
    apart((db, { location, size, state, since }: StoredObject) =>
      db.insertInto('objects').values({ location, size, state, since, checkedAt: since }),
    ),
  ),
  /** False, and nothing changed, if it is not in `from`. */
  move: changesOne((db, location: string, { from, to, at }: ObjectStep) =>
    db.updateTable('objects').set({ state: to, since: at }).where('location', '=', location).where('state', '=', from),
  ),
  /** Marks an object at `at` that is orphaned since `since`. False, and nothing changed, if it is not. */
  mark: changesOne((db, location: string, since: Instant, at: Instant) =>
    db
      .updateTable('objects')
      .set({ state: 'marked', since: at })
      .where('location', '=', location)
      .where('state', '=', 'orphaned')
      .where('since', '=', since),
  ),
  /** Moves it from orphaned or marked back to kept. False, and nothing changed, if it is neither. */
  restore: changesOne((db, location: string, at: Instant) =>
    db
      .updateTable('objects')
      .set({ state: 'kept', since: at })
      .where('location', '=', location)
      .where('state', 'in', ['orphaned', 'marked']),
  ),
  /**
   * Moves up to 64 staged objects to kept: all their bytes were read just before `at`. False, and the transaction must
   * not commit, if one is not staged.
   */
  async keep(db: Db, locations: readonly string[], at: Instant): Promise<boolean> {
    return (await keeping(db, locations, at)).changed === locations.length
  },
  /**
   * Moves it from marked to deleting. False, and nothing changed, if it is not marked since before `before`, if a blob
   * of an asset, a drop or an unclosed session names it, or if its content is on hold. One conditional statement. Finds
   * each row that could name the object by an index.
   */
  startDeleting: changesOne((db, { location, uploadId, ciphertextHash, before, at }: ObjectToDelete) =>
    db
      .updateTable('objects')
      .set({ state: 'deleting', since: at })
      .where('location', '=', location)
      // As one condition, for which no index is made: PostgreSQL might read all marked objects by theirs.
      .where((object) =>
        object(object.case().when('state', '=', 'marked').then(object.ref('since')).end(), '<', before),
      )
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('assetBlobs').select('blobSeq').where('assetBlobs.location', '=', location))),
      )
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('drops').select('dropSeq').where('drops.uploadId', '=', uploadId))),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('uploads')
              .select('uploads.uploadId')
              .where('uploads.uploadId', '=', uploadId)
              .where('closedAt', 'is', null),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('holds').select('holds.ciphertextHash').where('ciphertextHash', '=', ciphertextHash))),
      ),
  ),
  /**
   * Records that a reader met wrong, missing or unreadable bytes. A first such finding keeps its instant. Also of an
   * object that can be restored. False, and nothing changed, if it is neither, or known as damaged.
   */
  suspect: changesOne((db, location: string, at: Instant) =>
    db
      .updateTable('objects')
      .set((object) => ({ suspectedAt: object.fn.coalesce('suspectedAt', object.val(at)) }))
      .where('location', '=', location)
      .where('state', 'in', ['kept', 'orphaned', 'marked'])
      .where('damagedAt', 'is', null),
  ),
  /**
   * Records that its bytes are wrong or missing; a suspicion ends. A first such finding keeps its instant. False, and
   * nothing changed, if it is not kept any more.
   */
  markDamaged: changesOne((db, location: string, at: Instant) =>
    db
      .updateTable('objects')
      .set((object) => ({
        checkedAt: at,
        damagedAt: object.fn.coalesce('damagedAt', object.val(at)),
        suspectedAt: null,
      }))
      .where('location', '=', location)
      .where('state', '=', 'kept'),
  ),
  /**
   * Records that all its bytes were read and are right. Ends a damage that was last found until `readAt`, when the
   * reading began, and a suspicion that was noted until then: later ones know better. The bytes of one that is marked
   * are settled before. False, and nothing changed, if it is not kept any more.
   */
  noteIntact: changesOne((db, location: string, { readAt, at }: { readonly readAt: Instant; readonly at: Instant }) =>
    db
      .updateTable('objects')
      .set((object) => ({
        // A suspicion that stays was not looked into: it is due at once.
        checkedAt: object.case().when('suspectedAt', '>', readAt).then(object.ref('checkedAt')).else(at).end(),
        // A later finding leaves `damagedAt` at the first.
        damagedAt: object.case().when('checkedAt', '>', readAt).then(object.ref('damagedAt')).end(),
        suspectedAt: object.case().when('suspectedAt', '>', readAt).then(object.ref('suspectedAt')).end(),
      }))
      .where('location', '=', location)
      .where('state', '=', 'kept'),
  ),
  /** Records that a suspected or damaged object could not be read again at `at`. */
  noteUnread: runs((db, location: string, at: Instant) =>
    db
      .updateTable('objects')
      .set({ checkedAt: at })
      .where('location', '=', location)
      .where('state', '=', 'kept')
      .where((object) => object.or([object('damagedAt', 'is not', null), object('suspectedAt', 'is not', null)])),
  ),
  /** Removes the row of an object whose bytes are removed. */
  remove: runs((db, location: string) => db.deleteFrom('objects').where('location', '=', location)),
}
