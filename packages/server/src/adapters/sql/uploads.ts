import type { Instant, OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Chunk, NewUpload, Upload, UploadReads, UploadState, UploadWrites } from '../../ports/store.ts'
import { prepared } from './prepared.ts'
import type { ChunkTable, Schema, UploadTable } from './schema.ts'

/** A state written into the query, not bound to it: only so can a partial index serve. */
const literally = (state: UploadState) => sql.lit(state)

interface Given {
  readonly uploadId: UploadId
}

const byId = prepared((db, given: Given) =>
  db.selectFrom('uploads').selectAll().where('upload_id', '=', given.uploadId),
)

const byIdempotencyKey = prepared((db, given: { readonly opaqueId: OpaqueId; readonly idempotencyKey: string }) =>
  db
    .selectFrom('uploads')
    .selectAll()
    .where('opaque_id', '=', given.opaqueId)
    .where('idempotency_key', '=', given.idempotencyKey),
)

const openOfLink = prepared((db, given: { readonly opaqueId: OpaqueId }) =>
  db
    .selectFrom('uploads')
    .selectAll()
    .where('opaque_id', '=', given.opaqueId)
    .where('state', '=', literally('open'))
    .orderBy('created_at'),
)

const allFinishing = prepared((db, _given: object) =>
  db.selectFrom('uploads').select('upload_id').where('state', '=', literally('finishing')).orderBy('created_at'),
)

interface RunOut {
  readonly noChunkBefore: Instant
  readonly idleBefore: Instant
  readonly createdBefore: Instant
  readonly most: number
}

/** Three questions, as each has its index. SQLite would answer one question with three alternatives by looking at every open session. */
const runOut = prepared((db, given: RunOut) => {
  const open = db.selectFrom('uploads').select('upload_id').where('state', '=', literally('open'))
  const unbegun = open.where('last_chunk_at', 'is', null).where('created_at', '<', given.noChunkBefore)
  const idle = open.where('last_chunk_at', '<', given.idleBefore)
  const old = open.where('created_at', '<', given.createdBefore)
  return db
    .selectFrom('uploads')
    .selectAll()
    .where('upload_id', 'in', unbegun.unionAll(idle).unionAll(old))
    .limit(given.most)
})

const outstanding = prepared((db, _given: object) =>
  db
    .selectFrom('uploads')
    .select((upload) => upload.fn.sum<number | null>(upload('size', '-', upload.ref('received_bytes'))).as('bytes'))
    .where('state', '=', literally('open')),
)

const insertion = prepared((db, given: NewUpload) =>
  db.insertInto('uploads').values({
    upload_id: given.uploadId,
    account_id: given.accountId,
    opaque_id: given.opaqueId,
    size: given.size,
    ciphertext_hash: given.ciphertextHash,
    content_type: given.contentType,
    kem_ct: given.kemCt,
    suggested_filename: given.suggestedFilename,
    idempotency_key: given.idempotencyKey,
    declaration_hash: given.declarationHash,
    location: given.location,
    created_at: given.createdAt,
    state: 'open',
  }),
)

const movement = prepared(
  (db, given: Given & { readonly from: UploadState; readonly to: UploadState; readonly closedAt: Instant | null }) =>
    db
      .updateTable('uploads')
      .set({ state: given.to, closed_at: given.closedAt })
      .where('upload_id', '=', given.uploadId)
      .where('state', '=', given.from),
)

// Open and finishing sessions have not closed. The chunks go with their sessions by the foreign key.
const removalOfClosed = prepared((db, given: { readonly before: Instant }) =>
  db.deleteFrom('uploads').where('closed_at', '<', given.before),
)

const chunkAt = prepared((db, given: Given & { readonly offset: number }) =>
  db.selectFrom('chunks').selectAll().where('upload_id', '=', given.uploadId).where('offset', '=', given.offset),
)

const chunksOf = prepared((db, given: Given) =>
  db.selectFrom('chunks').selectAll().where('upload_id', '=', given.uploadId).orderBy('offset'),
)

const extension = prepared((db, given: Given & Chunk & { readonly at: Instant }) =>
  db
    .updateTable('uploads')
    .set((upload) => ({
      received_bytes: upload('received_bytes', '+', given.length),
      chunk_count: upload('chunk_count', '+', 1),
      last_chunk_at: given.at,
    }))
    .where('upload_id', '=', given.uploadId)
    .where('state', '=', 'open')
    .where('received_bytes', '=', given.offset),
)

const chunkInsertion = prepared((db, given: Given & Chunk) =>
  db.insertInto('chunks').values({
    upload_id: given.uploadId,
    offset: given.offset,
    length: given.length,
    checksum: given.checksum,
  }),
)

/** Counted from the chunks that stay, so that the session's end is one of theirs whatever `offset` is. */
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

const removalOfChunks = prepared((db, given: Given & { readonly offset: number }) =>
  db.deleteFrom('chunks').where('upload_id', '=', given.uploadId).where('offset', '>=', given.offset),
)

export function uploadReads(db: Kysely<Schema>): UploadReads {
  return {
    async find(uploadId) {
      const row = await byId.first(db, { uploadId })
      return row && uploadOf(row)
    },
    async findByIdempotencyKey(opaqueId, idempotencyKey) {
      const row = await byIdempotencyKey.first(db, { opaqueId, idempotencyKey })
      return row && uploadOf(row)
    },
    async chunkAt(uploadId, offset) {
      const row = await chunkAt.first(db, { uploadId, offset })
      return row && chunkOf(row)
    },
    async chunks(uploadId) {
      return (await chunksOf.all(db, { uploadId })).map(chunkOf)
    },
    async openOf(opaqueId) {
      return (await openOfLink.all(db, { opaqueId })).map(uploadOf)
    },
    async finishing() {
      return (await allFinishing.all(db, {})).map((row) => row.upload_id)
    },
    async runOut(limits) {
      return (await runOut.all(db, limits)).map(uploadOf)
    },
    async outstandingBytes() {
      return (await outstanding.first(db, {}))?.bytes ?? 0
    },
  }
}

export function uploadWrites(db: Kysely<Schema>): UploadWrites {
  return {
    async insert(upload) {
      await insertion.changed(db, upload)
    },
    async append(uploadId, chunk, at) {
      if ((await extension.changed(db, { uploadId, ...chunk, at })) !== 1) return false
      await chunkInsertion.changed(db, { uploadId, ...chunk })
      return true
    },
    async fallBack(uploadId, offset) {
      if ((await shortening.changed(db, { uploadId, offset })) !== 1) return
      await removalOfChunks.changed(db, { uploadId, offset })
    },
    async move(uploadId, { from, to, at }) {
      const closedAt = to === 'open' || to === 'finishing' ? null : at
      return (await movement.changed(db, { uploadId, from, to, closedAt })) === 1
    },
    async prune(before) {
      await removalOfClosed.changed(db, { before })
    },
  }
}

function uploadOf(row: Selectable<UploadTable>): Upload {
  return {
    uploadId: row.upload_id,
    accountId: row.account_id,
    opaqueId: row.opaque_id,
    size: row.size,
    ciphertextHash: row.ciphertext_hash,
    contentType: row.content_type,
    kemCt: row.kem_ct,
    suggestedFilename: row.suggested_filename ?? undefined,
    idempotencyKey: row.idempotency_key ?? undefined,
    declarationHash: row.declaration_hash,
    location: row.location,
    createdAt: row.created_at,
    state: row.state,
    receivedBytes: row.received_bytes,
    chunkCount: row.chunk_count,
    lastChunkAt: row.last_chunk_at ?? undefined,
    closedAt: row.closed_at ?? undefined,
  }
}

function chunkOf(row: Selectable<ChunkTable>): Chunk {
  return { offset: row.offset, length: row.length, checksum: row.checksum }
}
