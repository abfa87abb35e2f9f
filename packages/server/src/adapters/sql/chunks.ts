/** The chunks of upload sessions. */

import type { Instant, UploadId } from '@blindkeep/protocol/ids'
import { type Kysely, type Nullable, type Selectable, sql } from 'kysely'
import { type Chunk, type Lease, StorageUnavailable, type UploadReads, type UploadWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { keepPart } from './parts.ts'
import { apart, prepared, preparedForList, type Some, someOf } from './prepared.ts'
import type { ChunkTable, Schema } from './schema.ts'

interface Given {
  readonly uploadId: UploadId
}

const chunkAt = prepared((db, given: Given & { readonly offset: number }) =>
  db
    .selectFrom('chunks')
    .select(columnsOf('chunks'))
    .where('upload_id', '=', given.uploadId)
    .where('offset', '=', given.offset),
)

const chunksOf = prepared((db, given: Given) =>
  db.selectFrom('chunks').select(columnsOf('chunks')).where('upload_id', '=', given.uploadId).orderBy('offset'),
)

interface Extension extends Given, Chunk {
  readonly at: Instant
}

function extending(db: Kysely<Schema>, given: Extension) {
  return db
    .updateTable('uploads')
    .set((upload) => ({
      received_bytes: upload('received_bytes', '+', given.length),
      chunk_count: upload('chunk_count', '+', 1),
      last_chunk_at: given.at,
      writing_until: null,
    }))
    .where('upload_id', '=', given.uploadId)
    .where('state', '=', 'open')
    .where('received_bytes', '=', given.offset)
}

const extension = prepared(extending)

const lastExtension = prepared((db, given: Extension & Lease) =>
  extending(db, given).set({ state: 'finishing', leased_by: given.by, leased_until: given.until }),
)

const insertion = prepared((db, given: Given & Chunk) =>
  db.insertInto('chunks').values({
    upload_id: given.uploadId,
    offset: given.offset,
    length: given.length,
    checksum: given.checksum,
  }),
)

/** What a session has that has received all its bytes in one chunk, which the same transaction lands. */
const landingWhole = apart(
  preparedForList((db, rows: Some<Given & { readonly at: Instant }>) =>
    db
      .updateTable('uploads')
      .set((upload) => ({
        received_bytes: upload.ref('size'),
        chunk_count: 1,
        last_chunk_at: rows[0].at,
        writing_until: null,
        opener: null,
        state: 'landed',
        closed_at: rows[0].at,
      }))
      .where('upload_id', 'in', idsOf(rows))
      .where('state', '=', 'open')
      .where('received_bytes', '=', 0)
      .returning('upload_id'),
  ),
)

const wholeChunks = apart(
  preparedForList((db, rows: Some<Given>) =>
    db
      .insertInto('chunks')
      .columns(['upload_id', 'offset', 'length', 'checksum'])
      .expression((from) =>
        from
          .selectFrom('uploads')
          .select(['upload_id', sql<number>`0`.as('offset'), 'size', 'ciphertext_hash'])
          .where('upload_id', 'in', idsOf(rows)),
      )
      // Then the session is not empty, and does not land whole.
      .onConflict((conflict) => conflict.doNothing()),
  ),
)

const writingMark = prepared((db, given: Given & { readonly until: Instant }) =>
  db
    .updateTable('uploads')
    .set({ writing_until: given.until })
    .where('upload_id', '=', given.uploadId)
    .where('state', '=', 'open')
    .where((upload) => upload.or([upload('writing_until', 'is', null), upload('writing_until', '<', given.until)])),
)

/** Counts the chunks that stay, so the session ends where one of them ends, for any `offset`. */
const shortening = prepared((db, given: Given & { readonly offset: number }) => {
  const staying = db.selectFrom('chunks').where('upload_id', '=', given.uploadId).where('offset', '<', given.offset)
  return db
    .updateTable('uploads')
    .set({
      received_bytes: staying.select((chunk) =>
        chunk.fn.coalesce(chunk.fn.sum<number>('length'), sql.lit(0)).as('bytes'),
      ),
      chunk_count: staying.select((chunk) => chunk.fn.countAll<number>().as('count')),
    })
    .where('upload_id', '=', given.uploadId)
    .where('state', '=', 'open')
})

const removal = prepared((db, given: Given & { readonly offset: number }) =>
  db.deleteFrom('chunks').where('upload_id', '=', given.uploadId).where('offset', '>=', given.offset),
)

function idsOf(rows: readonly Given[]): UploadId[] {
  return rows.map(({ uploadId }) => uploadId)
}

export function chunkReads(db: Db): Pick<UploadReads, 'chunkAt' | 'chunks'> {
  return {
    async chunkAt(uploadId, offset) {
      const row = await chunkAt.first(db, { uploadId, offset })
      return row && chunkOf(row)
    },
    async chunks(uploadId) {
      return (await chunksOf.all(db, { uploadId })).map(chunkOf)
    },
  }
}

export function chunkWrites(db: Db): Pick<UploadWrites, 'append' | 'landWhole' | 'markWriting' | 'removeChunksFrom'> {
  return {
    async append(uploadId, chunk, at, finishing) {
      const given = { uploadId, ...chunk, at }
      const changed = finishing ? lastExtension.changed(db, { ...given, ...finishing }) : extension.changed(db, given)
      if ((await changed) !== 1) return false
      await insertion.changed(db, { uploadId, ...chunk })
      if (chunk.key !== undefined && !(await keepPart(db, chunk.key, chunk)))
        throw new StorageUnavailable('the part of the chunk was given up')
      return true
    },
    async landWhole(uploads, at) {
      const rows = someOf(uploads.map(({ uploadId }) => ({ uploadId, at })))
      const [landed, areKept] = await Promise.all([
        landingWhole.all(db, rows),
        Promise.all(
          uploads.map(
            ({ size, ciphertextHash, key }) =>
              key === undefined || keepPart(db, key, { offset: 0, length: size, checksum: ciphertextHash }),
          ),
        ),
        wholeChunks.changed(db, rows),
      ])
      // The caller undoes the rest.
      if (landed.length < uploads.length) return landed.map((row) => row.upload_id)
      if (areKept.includes(false)) throw new StorageUnavailable('the part of the chunk was given up')
      return uploads.map(({ uploadId }) => uploadId)
    },
    async markWriting(uploadId, until) {
      await writingMark.changed(db, { uploadId, until })
    },
    async removeChunksFrom(uploadId, offset) {
      if ((await shortening.changed(db, { uploadId, offset })) !== 1) return
      await removal.changed(db, { uploadId, offset })
    },
  }
}

/** Of a row of another table that is joined with the chunk at an offset, if there is one. */
export function joinedChunkOf({
  offset,
  length,
  checksum,
}: Nullable<Pick<Selectable<ChunkTable>, 'offset' | 'length' | 'checksum'>>): Chunk | undefined {
  return offset === null || length === null || checksum === null ? undefined : { offset, length, checksum }
}

function chunkOf(row: Selectable<ChunkTable>): Chunk {
  return { offset: row.offset, length: row.length, checksum: row.checksum }
}
