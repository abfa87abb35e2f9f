/** The parts of objects in a store with keys. */
import type { Instant, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { DuePart, KeptPart, NewPart, PartReads, PartWrites } from '../../ports/store.ts'
import type { Db } from './db.ts'
import { apart, prepared } from './prepared.ts'
import type { Schema } from './schema.ts'

interface Given {
  readonly key: string
}

/** Text of the query: with a bound state the database would not use a partial index. */
const [WRITING, KEPT, DELETING] = [sql.lit('writing' as const), sql.lit('kept' as const), sql.lit('deleting' as const)]

/** A key begins with the location of its object, which has this many characters. */
const LOCATION_LENGTH = sql.lit(104)

const kept = prepared((db, given: { readonly uploadId: UploadId }) =>
  db
    .selectFrom('parts')
    .select(['key', 'offset', 'length', 'checksum'])
    .where('upload_id', '=', given.uploadId)
    .where('state', '=', KEPT)
    .orderBy('offset'),
)

const dueAt = prepared((db, given: { readonly now: Instant; readonly max: number }) =>
  db
    .selectFrom('parts')
    .select(['key', 'state', 'is_removed'])
    .where('due', '<=', given.now)
    .orderBy('due')
    .limit(given.max),
)

const severalPartsAfter = prepared((db, given: { readonly after: string; readonly max: number }) =>
  db
    .selectFrom('parts')
    .select('upload_id')
    .where('state', '=', KEPT)
    .where('offset', '>', sql.lit(0))
    .where(sql<SqlBool>`upload_id > ${given.after}`)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('objects')
          .select('objects.location')
          .where('objects.location', '=', sql<string>`substr(parts.key, 1, ${LOCATION_LENGTH})`)
          .where('objects.state', '=', KEPT)
          .where('objects.damaged_at', 'is', null)
          .where('objects.suspected_at', 'is', null),
      ),
    )
    .groupBy('upload_id')
    .orderBy('upload_id')
    .limit(given.max),
)

const byKey = prepared((db, given: Given) => db.selectFrom('parts').select('key').where('key', '=', given.key))

const columns = ['key', 'upload_id', 'state', 'due'] as const

const beginning = prepared((db, given: NewPart & { readonly max: number }) =>
  db
    .insertInto('parts')
    .columns(columns)
    .expression(
      db
        .selectFrom('uploads')
        .select(({ val }) => [
          val(given.key).as('key'),
          'uploads.upload_id',
          sql<string>`'writing'`.as('state'),
          val(given.until).as('due'),
        ])
        .where('uploads.upload_id', '=', given.uploadId)
        .where('uploads.state', '=', 'open')
        .where(
          ({ selectFrom }) =>
            selectFrom('parts')
              .select(({ fn }) => fn.countAll<number>().as('count'))
              .where('parts.upload_id', '=', given.uploadId)
              .where('parts.state', '=', WRITING),
          '<',
          given.max,
        ),
    ),
)

const joinBeginning = prepared((db, given: NewPart & { readonly location: string }) =>
  db
    .insertInto('parts')
    .columns(columns)
    .expression(
      db
        .selectFrom('objects')
        .select(({ val }) => [
          val(given.key).as('key'),
          val(given.uploadId).as('upload_id'),
          sql<string>`'writing'`.as('state'),
          val(given.until).as('due'),
        ])
        .where('objects.location', '=', given.location)
        .where('objects.state', '=', KEPT)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('parts')
                .select('parts.key')
                .where('parts.upload_id', '=', given.uploadId)
                .where('parts.state', '=', WRITING),
            ),
          ),
        ),
    ),
)

const extension = prepared((db, given: Given & { readonly until: Instant }) =>
  writing(db, given).set({ due: given.until }),
)

interface Place extends Given {
  readonly offset: number
  readonly length: number
  readonly checksum: Sha256Hex
}

const keeping = apart(
  prepared((db, given: Place) =>
    writing(db, given).set({
      state: 'kept',
      offset: given.offset,
      length: given.length,
      checksum: given.checksum,
      due: null,
    }),
  ),
)

const givingUp = prepared((db, given: Given & { readonly at: Instant }) =>
  writing(db, given).set({ state: 'deleting', due: given.at }),
)

function writing(db: Kysely<Schema>, given: Given) {
  return db.updateTable('parts').where('key', '=', given.key).where('state', '=', WRITING)
}

interface Doom {
  readonly removeFrom: Instant
}

const replacing = prepared((db, given: Given & Doom) =>
  db
    .updateTable('parts')
    .set({ state: 'deleting', due: given.removeFrom })
    .where('key', '=', given.key)
    .where('state', '=', KEPT),
)

const releaseOfKept = prepared((db, given: Doom & { readonly uploadId: UploadId }) =>
  db
    .updateTable('parts')
    .set({ state: 'deleting', due: given.removeFrom })
    .where('upload_id', '=', given.uploadId)
    .where('state', '=', KEPT),
)

const removalNote = prepared((db, given: Given & { readonly again: Instant }) =>
  db
    .updateTable('parts')
    .set({ is_removed: 1, due: given.again })
    .where('key', '=', given.key)
    .where('state', '=', DELETING),
)

const removal = prepared((db, given: Given) =>
  db.deleteFrom('parts').where('key', '=', given.key).where('state', '=', DELETING).where('is_removed', '=', 1),
)

export function partReads(db: Db): PartReads {
  return {
    async keptOf(uploadId) {
      return (await kept.all(db, { uploadId })).map(keptOf)
    },
    async due(now, max) {
      return (await dueAt.all(db, { now, max })).flatMap(({ key, state, is_removed }): DuePart[] =>
        state === 'kept' ? [] : [{ key, state, isRemoved: is_removed === 1 }],
      )
    },
    async toJoin(after, max) {
      return (await severalPartsAfter.all(db, { after: after ?? '', max })).map((row) => row.upload_id)
    },
    async isKnown(key) {
      return (await byKey.first(db, { key })) !== undefined
    },
  }
}

export function partWrites(db: Db): PartWrites {
  return {
    async begin(part, max) {
      return (await beginning.changed(db, { ...part, max })) === 1
    },
    async beginJoining(part) {
      return (await joinBeginning.changed(db, part)) === 1
    },
    async extend(key, until) {
      return (await extension.changed(db, { key, until })) === 1
    },
    async join({ joined, replaced, removeFrom }) {
      // First the old ones: two kept parts never have the same offset.
      for (const key of replaced) if ((await replacing.changed(db, { key, removeFrom })) !== 1) return false
      return (await keeping.changed(db, joined)) === 1
    },
    async giveUp(key, at) {
      return (await givingUp.changed(db, { key, at })) === 1
    },
    async releaseKept(uploadId, removeFrom) {
      await releaseOfKept.changed(db, { uploadId, removeFrom })
    },
    async noteRemoved(key, again) {
      await removalNote.changed(db, { key, again })
    },
    async remove(key) {
      await removal.changed(db, { key })
    },
  }
}

/** Keeps the part of a chunk, in the transaction that records the chunk. False if the part is not being written any more. */
export async function keepPart(
  db: Db,
  key: string,
  { offset, length, checksum }: Omit<Place, 'key'>,
): Promise<boolean> {
  return (await keeping.changed(db, { key, offset, length, checksum })) === 1
}

function keptOf(row: {
  readonly key: string
  readonly offset: number | null
  readonly length: number | null
  readonly checksum: Sha256Hex | null
}): KeptPart {
  const { key, offset, length, checksum } = row
  if (offset === null || length === null || checksum === null) throw new Error('a kept part has no place')
  return { key, offset, length, checksum }
}
