/** The parts of objects in a store with keys. */
import type { Instant, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { Db } from './db.ts'
import { all, apart, changesOne, exists, runs, values } from './statements.ts'
import { columnsOf, type Tables } from './tables.ts'

export interface KeptPart {
  /** `<location>/<16 hexadecimal digits>`. */
  readonly key: string
  readonly offset: number
  readonly length: number
  readonly checksum: Sha256Hex
}

/** A part that something is to happen with: it was written for too long, or its bytes are to be removed. */
export interface DuePart {
  readonly key: string
  readonly state: 'writing' | 'deleting'
  /** Whether its bytes were removed once. */
  readonly isRemoved: boolean
}

export interface NewPart {
  readonly key: string
  readonly uploadId: UploadId
  /** From then on it counts as given up. */
  readonly until: Instant
}

/** Several kept parts that lie behind each other, and the one that takes their place. */
export interface JoinedPart {
  readonly uploadId: UploadId
  readonly joined: KeptPart
  /** The keys that it replaces. */
  readonly replaced: readonly string[]
  /** When their bytes may be removed: readers may still be at them. */
  readonly removeFrom: Instant
}

/** Text of the query: with a bound state the database would not use a partial index. */
const [WRITING, KEPT, DELETING] = [sql.lit('writing' as const), sql.lit('kept' as const), sql.lit('deleting' as const)]

/** A key begins with the location of its object, which has this many characters. */
const LOCATION_LENGTH = sql.lit(104)

const keptPartsOf = all((db, uploadId: UploadId) =>
  db
    .selectFrom('parts')
    .select(columnsOf('parts'))
    .where('uploadId', '=', uploadId)
    .where('state', '=', KEPT)
    .orderBy('offset'),
)

const dueAt = all((db, now: Instant, max: number) =>
  db.selectFrom('parts').select(['key', 'state', 'isRemoved']).where('due', '<=', now).orderBy('due').limit(max),
)

const severalPartsAfter = values((db, after: string, max: number) =>
  db
    .selectFrom('parts')
    .select('uploadId')
    .where('state', '=', KEPT)
    .where('offset', '>', sql.lit(0))
    .where(sql<SqlBool>`upload_id > ${after}`)
    // Not as `exists`, which PostgreSQL may turn round: then it would read all kept objects.
    .where(
      ({ selectFrom }) =>
        selectFrom('objects')
          .select('objects.state')
          .where('objects.location', '=', sql<string>`substr(parts.key, 1, ${LOCATION_LENGTH})`)
          .where('objects.damagedAt', 'is', null)
          .where('objects.suspectedAt', 'is', null),
      '=',
      KEPT,
    )
    .groupBy('uploadId')
    .orderBy('uploadId')
    .limit(max),
)

export const partReads = {
  /** The kept parts of an object, by the session that brought it, in the order of their offsets. */
  async keptOf(db: Db, uploadId: UploadId): Promise<readonly KeptPart[]> {
    return (await keptPartsOf(db, uploadId)).map(({ key, offset, length, checksum }) => {
      if (offset === undefined || length === undefined || checksum === undefined)
        throw new Error('a kept part has no place')
      return { key, offset, length, checksum }
    })
  },
  /** At most `max` parts that are due at `now`, the longest due first. */
  async due(db: Db, now: Instant, max: number): Promise<readonly DuePart[]> {
    return (await dueAt(db, now, max)).flatMap(({ key, state, isRemoved }): DuePart[] =>
      state === 'kept' ? [] : [{ key, state, isRemoved: isRemoved === 1 }],
    )
  },
  /** Sessions whose kept, undamaged object has several parts: at most `max` by id, from the first after `after`. */
  toJoin(db: Db, after: UploadId | undefined, max: number): Promise<readonly UploadId[]> {
    return severalPartsAfter(db, after ?? '', max)
  },
  /** Whether a part has this key. */
  isKnown: exists((db, key: string) => db.selectFrom('parts').select('key').where('key', '=', key)),
}

const columns = ['key', 'uploadId', 'state', 'due'] as const

/** A part that is being written, if there is its object. */
function ofObject(db: Kysely<Tables>, { key, uploadId, until, location }: NewPart & { readonly location: string }) {
  return db
    .selectFrom('objects')
    .select(({ val }) => [
      val(key).as('key'),
      val(uploadId).as('uploadId'),
      sql<string>`'writing'`.as('state'),
      val(until).as('due'),
    ])
    .where('objects.location', '=', location)
}

function writing(db: Kysely<Tables>, key: string) {
  return db.updateTable('parts').where('key', '=', key).where('state', '=', WRITING)
}

/**
 * Not where another one counts: the same chunk, which another process has landed while this one arrived. It is asked
 * for by the session that is given, not by that of the part: PostgreSQL would join the two, perhaps by reading all.
 */
const keeping = changesOne(
  apart((db, uploadId: UploadId, { key, offset, length, checksum }: KeptPart) =>
    writing(db, key)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('parts as other')
              .select('other.key')
              .where('other.uploadId', '=', uploadId)
              .where('other.offset', '=', offset)
              .where('other.state', '=', KEPT),
          ),
        ),
      )
      .set({ state: 'kept', offset, length, checksum, due: null }),
  ),
)

const replacing = changesOne((db, key: string, removeFrom: Instant) =>
  db.updateTable('parts').set({ state: 'deleting', due: removeFrom }).where('key', '=', key).where('state', '=', KEPT),
)

export const partWrites = {
  /**
   * Records a chunk's part before its first byte. False, and nothing changed, if the session is not open, or `max` of
   * its parts are being written. Each of several transactions at once may add one beyond that.
   */
  begin: changesOne((db, { key, uploadId, until }: NewPart, max: number) =>
    db
      .insertInto('parts')
      .columns(columns)
      .expression(
        db
          .selectFrom('uploads')
          .select(({ val }) => [
            val(key).as('key'),
            'uploads.uploadId',
            sql<string>`'writing'`.as('state'),
            val(until).as('due'),
          ])
          .where('uploads.uploadId', '=', uploadId)
          .where('uploads.state', '=', 'open')
          .where(
            ({ selectFrom }) =>
              selectFrom('parts')
                .select(({ fn }) => fn.countAll<number>().as('count'))
                .where('parts.uploadId', '=', uploadId)
                .where('parts.state', '=', WRITING),
            '<',
            max,
          ),
      ),
  ),
  /** Records a joining part. False, and nothing changed, beside another one, or if the object is not kept. */
  beginJoining: changesOne((db, given: NewPart & { readonly location: string }) =>
    db
      .insertInto('parts')
      .columns(columns)
      .expression(
        ofObject(db, given)
          .where('objects.state', '=', KEPT)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('parts')
                  .select('parts.key')
                  .where('parts.uploadId', '=', given.uploadId)
                  .where('parts.state', '=', WRITING),
              ),
            ),
          ),
      ),
  ),
  /** Records a part for right bytes of a damaged object. False, and nothing changed, if no receipt vouches for it. */
  beginReplacing: changesOne((db, given: NewPart & { readonly location: string }) =>
    db
      .insertInto('parts')
      .columns(columns)
      .expression(ofObject(db, given).where('objects.state', 'in', ['kept', 'orphaned', 'marked'])),
  ),
  /** Gives a part more time. False if it is not being written any more. */
  extend: changesOne((db, key: string, until: Instant) => writing(db, key).set({ due: until })),
  /**
   * Keeps the joined part and releases the ones that it replaces. False if it is not being written, or one of them is
   * not kept any more: then the transaction must not commit.
   */
  async join(db: Db, { uploadId, joined, replaced, removeFrom }: JoinedPart): Promise<boolean> {
    // First the old ones: two kept parts never have the same offset.
    for (const key of replaced) if (!(await replacing(db, key, removeFrom))) return false
    return keeping(db, uploadId, joined)
  },
  /** Releases a part that is being written. False, and nothing changed, if it is not: it may be kept by now. */
  giveUp: changesOne((db, key: string, at: Instant) => writing(db, key).set({ state: 'deleting', due: at })),
  /** Releases the kept parts of an object whose row goes. */
  releaseKept: runs((db, uploadId: UploadId, removeFrom: Instant) =>
    db
      .updateTable('parts')
      .set({ state: 'deleting', due: removeFrom })
      .where('uploadId', '=', uploadId)
      .where('state', '=', KEPT),
  ),
  /**
   * Records that the bytes at a deleting key were removed. They are to be removed once more at `again`: a stopped
   * process may still have been writing.
   */
  noteRemoved: runs((db, key: string, again: Instant) =>
    db.updateTable('parts').set({ isRemoved: 1, due: again }).where('key', '=', key).where('state', '=', DELETING),
  ),
  /** Removes the row of a part whose bytes were removed twice. */
  remove: runs((db, key: string) =>
    db.deleteFrom('parts').where('key', '=', key).where('state', '=', DELETING).where('isRemoved', '=', 1),
  ),
}

/** Keeps the part of a chunk in the transaction that records it. False if it is not being written any more. */
export const keepPart: (db: Db, uploadId: UploadId, part: KeptPart) => Promise<boolean> = keeping
