/** The chunks of upload sessions. */

import type { Instant, UploadId } from '@blindkeep/protocol/ids'
import { type Kysely, sql } from 'kysely'
import { StorageUnavailable } from '../ground/storageErrors.ts'
import type { Db } from './db.ts'
import { keepPart } from './parts.ts'
import { all, apart, changesOne, first, forList, runs, type Some } from './statements.ts'
import type { Chunk, Lease, StoredChunk, Upload } from './tables/uploads.ts'
import { columnsOf, type Tables } from './tables.ts'

export interface WholeUpload extends Pick<Upload, 'uploadId' | 'size' | 'ciphertextHash'>, Pick<StoredChunk, 'key'> {}

export const chunkReads = {
  chunkAt: first((db, uploadId: UploadId, offset: number) =>
    db.selectFrom('chunks').select(columnsOf('chunks')).where('uploadId', '=', uploadId).where('offset', '=', offset),
  ),
  /** In the order of their offsets. */
  chunks: all((db, uploadId: UploadId) =>
    db.selectFrom('chunks').select(columnsOf('chunks')).where('uploadId', '=', uploadId).orderBy('offset'),
  ),
}

function extending(db: Kysely<Tables>, uploadId: UploadId, { offset, length }: Chunk, at: Instant) {
  return db
    .updateTable('uploads')
    .set((upload) => ({
      receivedBytes: upload('receivedBytes', '+', length),
      chunkCount: upload('chunkCount', '+', 1),
      lastChunkAt: at,
      writingUntil: null,
    }))
    .where('uploadId', '=', uploadId)
    .where('state', '=', 'open')
    .where('receivedBytes', '=', offset)
}

const extension = changesOne(extending)

const lastExtension = changesOne((db, uploadId: UploadId, chunk: Chunk, at: Instant, { by, until }: Lease) =>
  extending(db, uploadId, chunk, at).set({ state: 'finishing', leasedBy: by, leasedUntil: until }),
)

const insertion = runs((db, uploadId: UploadId, { offset, length, checksum }: Chunk) =>
  db.insertInto('chunks').values({ uploadId, offset, length, checksum }),
)

/** What a session has that has received all its bytes in one chunk, which the same transaction lands. */
const landingWhole = forList(
  apart((db, uploads: Some<WholeUpload>, at: Instant) =>
    db
      .updateTable('uploads')
      .set((upload) => ({
        receivedBytes: upload.ref('size'),
        chunkCount: 1,
        lastChunkAt: at,
        writingUntil: null,
        opener: null,
        state: 'landed',
        closedAt: at,
      }))
      .where('uploadId', 'in', idsOf(uploads))
      .where('state', '=', 'open')
      .where('receivedBytes', '=', 0)
      .returning('uploadId'),
  ),
)

const wholeChunks = forList(
  apart((db, uploads: Some<WholeUpload>) =>
    db
      .insertInto('chunks')
      .columns(['uploadId', 'offset', 'length', 'checksum'])
      .expression((from) =>
        from
          .selectFrom('uploads')
          .select(['uploadId', sql<number>`0`.as('offset'), 'size', 'ciphertextHash'])
          .where('uploadId', 'in', idsOf(uploads)),
      )
      // Then the session is not empty, and does not land whole.
      .onConflict((conflict) => conflict.doNothing()),
  ),
)

function idsOf(uploads: Some<WholeUpload>): UploadId[] {
  return uploads.map(({ uploadId }) => uploadId)
}

/** Counts the chunks that stay, so the session ends where one of them ends, for any `offset`. */
const shortening = changesOne((db, uploadId: UploadId, offset: number) => {
  const staying = db.selectFrom('chunks').where('uploadId', '=', uploadId).where('offset', '<', offset)
  return db
    .updateTable('uploads')
    .set({
      receivedBytes: staying.select((chunk) =>
        chunk.fn.coalesce(chunk.fn.sum<number>('length'), sql.lit(0)).as('bytes'),
      ),
      chunkCount: staying.select((chunk) => chunk.fn.countAll<number>().as('count')),
    })
    .where('uploadId', '=', uploadId)
    .where('state', '=', 'open')
})

const removal = runs((db, uploadId: UploadId, offset: number) =>
  db.deleteFrom('chunks').where('uploadId', '=', uploadId).where('offset', '>=', offset),
)

export const chunkWrites = {
  /**
   * Appends a chunk to an open session, and keeps its part if it has a key. False, and nothing changed, if the session
   * is not open or has not received exactly `chunk.offset` bytes: a compare-and-set. With `finishing`, the session
   * moves to finishing under this lease. Throws `StorageUnavailable`, and the transaction must not commit, if the part
   * was given up.
   */
  async append(db: Db, uploadId: UploadId, chunk: StoredChunk, at: Instant, finishing?: Lease): Promise<boolean> {
    const isExtended = await (finishing === undefined
      ? extension(db, uploadId, chunk, at)
      : lastExtension(db, uploadId, chunk, at, finishing))
    if (!isExtended) return false
    await insertion(db, uploadId, chunk)
    if (chunk.key !== undefined && !(await keepPart(db, uploadId, { ...chunk, key: chunk.key })))
      throw new StorageUnavailable('the part of the chunk was given up')
    return true
  },
  /**
   * Appends to each of 1 to 64 open sessions one chunk that is all of it, with the declared checksum, keeps its part if
   * it has a key, and moves the session to landed. Answers which have landed: not one that is not open or has received
   * bytes. Unless it is all of them, the transaction must not commit. Throws as `append` does.
   */
  async landWhole(db: Db, uploads: readonly WholeUpload[], at: Instant): Promise<readonly UploadId[]> {
    const [{ rows: landed }, areKept] = await Promise.all([
      landingWhole(db, uploads, at),
      Promise.all(
        uploads.map(
          ({ uploadId, size, ciphertextHash, key }) =>
            key === undefined || keepPart(db, uploadId, { key, offset: 0, length: size, checksum: ciphertextHash }),
        ),
      ),
      wholeChunks(db, uploads),
    ])
    // The caller undoes the rest.
    if (landed.length < uploads.length) return landed.map(({ uploadId }) => uploadId)
    if (areKept.includes(false)) throw new StorageUnavailable('the part of the chunk was given up')
    return uploads.map(({ uploadId }) => uploadId)
  },
  /**
   * Says that a request writes to an open session until then. Nothing changes if the session is not open, or says a
   * later instant already. A chunk that it appends ends this.
   */
  markWriting: runs((db, uploadId: UploadId, until: Instant) =>
    db
      .updateTable('uploads')
      .set({ writingUntil: until })
      .where('uploadId', '=', uploadId)
      .where('state', '=', 'open')
      .where((upload) => upload.or([upload('writingUntil', 'is', null), upload('writingUntil', '<', until)])),
  ),
  /** Removes the chunks of an open session from `offset` on, because their bytes are lost. */
  async removeChunksFrom(db: Db, uploadId: UploadId, offset: number): Promise<void> {
    if (await shortening(db, uploadId, offset)) await removal(db, uploadId, offset)
  },
}

type Joined<Row> = { readonly [Name in keyof Row]: Row[Name] | undefined }

/** Of a row of another table that is joined with the chunk at an offset, if there is one. */
export function joinedChunkOf({ offset, length, checksum }: Joined<Chunk>): Chunk | undefined {
  return offset === undefined || length === undefined || checksum === undefined
    ? undefined
    : { offset, length, checksum }
}
