import type { AccountId, AssetId, Instant, OpaqueId, SessionId, UploadId } from '@blindkeep/protocol/ids'
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type {
  Lease,
  NewAssetUpload,
  NewDropUpload,
  NewUpload,
  UnclosedPlace,
  UploadFailure,
  UploadReads,
  UploadState,
  UploadWrites,
} from '../../ports/store.ts'
import { standingOf } from './accounts.ts'
import { chunkReads, chunkWrites, joinedChunkOf } from './chunks.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { envelopeText } from './envelopes.ts'
import { apart, prepared } from './prepared.ts'
import type { Schema } from './schema.ts'
import { assetUploadOf, dropUploadOf, unclosedOf, uploadOf } from './uploadRows.ts'

/** Writes a state into the text of the query: with a bound state the database would not use a partial index. */
const literally = (state: UploadState) => sql.lit(state)

interface Given {
  readonly uploadId: UploadId
}

const byId = prepared((db, given: Given) =>
  db.selectFrom('uploads').select(columnsOf('uploads')).where('upload_id', '=', given.uploadId),
)

/** A null offset finds no chunk. */
const withOwnerAndChunk = prepared((db, given: Given & { readonly offset: number | null }) =>
  db
    .selectFrom('uploads')
    .innerJoin('accounts', 'accounts.account_id', 'uploads.account_id')
    .leftJoin('chunks', (join) =>
      join.onRef('chunks.upload_id', '=', 'uploads.upload_id').on('chunks.offset', '=', given.offset),
    )
    .select(columnsOf('uploads'))
    .select(['accounts.suspended_at', 'accounts.deleted_at', 'chunks.offset', 'chunks.length', 'chunks.checksum'])
    .where('uploads.upload_id', '=', given.uploadId),
)

const byIdempotencyKey = prepared((db, given: { readonly opaqueId: OpaqueId; readonly idempotencyKey: string }) =>
  db
    .selectFrom('uploads')
    .select(columnsOf('uploads'))
    .where('opaque_id', '=', given.opaqueId)
    .where('idempotency_key', '=', given.idempotencyKey),
)

const openOfLink = prepared((db, given: { readonly opaqueId: OpaqueId }) =>
  db
    .selectFrom('uploads')
    .select(columnsOf('uploads'))
    .where('opaque_id', '=', given.opaqueId)
    .where('state', '=', literally('open'))
    .orderBy('created_at'),
)

// Within a millisecond the ids decide: an owner's ids increase with time.
const unclosedOfAsset = prepared((db, given: { readonly assetId: AssetId }) =>
  db
    .selectFrom('uploads')
    .select(columnsOf('uploads'))
    .where('asset_id', '=', given.assetId)
    .where('closed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('upload_id'),
)

const unclosedOfAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('uploads')
    .select(columnsOf('uploads'))
    .where('account_id', '=', given.accountId)
    .where('closed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('upload_id'),
)

interface UnclosedPage {
  readonly accountId: AccountId
  readonly max: number
}

const unclosedPage = (db: Kysely<Schema>, given: UnclosedPage) =>
  db
    .selectFrom('uploads')
    .select(['upload_id', 'opaque_id', 'asset_id', 'role', 'size', 'received_bytes', 'state', 'created_at'])
    .where('account_id', '=', given.accountId)
    .where('closed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('upload_id')
    .limit(given.max)

const firstUnclosed = prepared(unclosedPage)

const nextUnclosed = prepared((db, given: UnclosedPage & UnclosedPlace) =>
  unclosedPage(db, given).where(({ eb, refTuple, tuple }) =>
    eb(refTuple('created_at', 'upload_id'), '>', tuple(given.createdAt, given.uploadId)),
  ),
)

const landingCounts = apart(
  prepared((db, given: { readonly accountId: AccountId }) =>
    db
      .selectFrom('accounts')
      .select('pending_drops')
      .select((account) =>
        account
          .selectFrom('uploads')
          .select((upload) => upload.fn.countAll<number>().as('count'))
          .where('account_id', '=', given.accountId)
          .where('closed_at', 'is', null)
          .$asScalar()
          .$notNull()
          .as('unclosed'),
      )
      .where('account_id', '=', given.accountId),
  ),
)

const countOfUnclosedOwn = prepared(
  (db, given: { readonly accountId: AccountId; readonly sessionId: SessionId | null }) =>
    db
      .selectFrom('uploads')
      .select((upload) => [
        upload.fn.countAll<number>().as('all'),
        upload.fn.countAll<number>().filterWhere('session_id', '=', given.sessionId).as('ofSession'),
      ])
      .where('account_id', '=', given.accountId)
      .where('closed_at', 'is', null)
      .where('asset_id', 'is not', null),
)

const finishingBy = prepared((db, given: { readonly by: string; readonly at: Instant }) =>
  db
    .selectFrom('uploads')
    .select('upload_id')
    .where('state', '=', literally('finishing'))
    .where(mayLease(given))
    .orderBy('created_at'),
)

/** No other process has a lease. A lease is live before `leased_until`, not at it. */
function mayLease(given: { readonly by: string; readonly at: Instant }) {
  return (upload: ExpressionBuilder<Schema, 'uploads'>) =>
    upload.or([
      upload('leased_until', 'is', null),
      upload('leased_until', '<=', given.at),
      upload('leased_by', '=', given.by),
    ])
}

const leasing = prepared((db, given: Given & Lease & { readonly at: Instant }) =>
  db
    .updateTable('uploads')
    .set({ leased_by: given.by, leased_until: given.until })
    .where('upload_id', '=', given.uploadId)
    .where('state', '=', literally('finishing'))
    .where(mayLease(given)),
)

interface ExpiryLimits {
  readonly noChunkBefore: Instant
  readonly idleBefore: Instant
  readonly createdBefore: Instant
  readonly max: number
}

/** Three queries, because each has its index. For one query with three alternatives SQLite would read every open session. */
const expired = prepared((db, given: ExpiryLimits) => {
  const open = db.selectFrom('uploads').select('upload_id').where('state', '=', literally('open'))
  const unbegun = open.where('last_chunk_at', 'is', null).where('created_at', '<', given.noChunkBefore)
  const idle = open.where('last_chunk_at', '<', given.idleBefore)
  const old = open.where('created_at', '<', given.createdBefore)
  return db
    .selectFrom('uploads')
    .select(columnsOf('uploads'))
    .where('upload_id', 'in', unbegun.unionAll(idle).unionAll(old))
    .limit(given.max)
})

interface ClaimsGiven {
  readonly accountId: AccountId
  readonly activeSince: Instant
  readonly accountBytesMax: number
}

/** The index has the columns in the order of the groups, so nothing is sorted. */
const claims = prepared((db, given: ClaimsGiven) => {
  const unsent = sql<number>`size - received_bytes`
  const ofActive = (bytes: typeof unsent) =>
    sql<number>`sum(case when coalesce(last_chunk_at, created_at) >= ${given.activeSince} then ${bytes} else 0 end)`
  const earned = sql<number>`case when size - received_bytes < received_bytes then size - received_bytes else received_bytes end`
  const others = (bytes: typeof unsent) =>
    sql<number>`coalesce(sum(case when account_id <> ${given.accountId} then ${bytes} else 0 end), 0)`
  const unearned = sql<number>`claimed - earned`
  return db
    .selectFrom((from) =>
      from
        .selectFrom('uploads')
        .select(['account_id', sql<number>`sum(${unsent})`.as('unsent')])
        .select([ofActive(unsent).as('claimed'), ofActive(earned).as('earned')])
        .where('state', '=', literally('open'))
        .groupBy('account_id')
        .as('of_account'),
    )
    .select([
      sql<number>`coalesce(sum(unsent), 0)`.as('allBytes'),
      sql<number>`coalesce(sum(case when account_id = ${given.accountId} then claimed else 0 end), 0)`.as('ownBytes'),
      others(sql`earned`).as('othersEarnedBytes'),
      others(
        sql`case when ${unearned} < ${given.accountBytesMax} then ${unearned} else ${given.accountBytesMax} end`,
      ).as('othersUnearnedBytes'),
    ])
})

/** What both guests and owners declare. */
const declared = (given: NewUpload) => ({
  upload_id: given.uploadId,
  account_id: given.accountId,
  size: given.size,
  ciphertext_hash: given.ciphertextHash,
  content_type: given.contentType,
  declaration_hash: given.declarationHash,
  location: given.location,
  created_at: given.createdAt,
  state: 'open' as const,
})

const insertionOfGuests = apart(
  prepared((db, given: NewDropUpload & { readonly openerText: string | undefined }) =>
    db.insertInto('uploads').values({
      ...declared(given),
      opaque_id: given.opaqueId,
      kem_ct: given.kemCt,
      suggested_filename: given.suggestedFilename,
      idempotency_key: given.idempotencyKey,
      opener: given.openerText,
    }),
  ),
)

const insertionOfOwners = prepared((db, given: NewAssetUpload & { readonly envelopeText: string }) =>
  db.insertInto('uploads').values({
    ...declared(given),
    asset_id: given.assetId,
    album_id: given.albumId,
    role: given.role,
    envelope: given.envelopeText,
    session_id: given.sessionId,
  }),
)

const redeclaration = prepared(
  (
    db,
    given: Given & {
      readonly contentType: string
      readonly envelopeText: string
      readonly declarationHash: string
    },
  ) =>
    db
      .updateTable('uploads')
      .set({ content_type: given.contentType, envelope: given.envelopeText, declaration_hash: given.declarationHash })
      .where('upload_id', '=', given.uploadId)
      .where('asset_id', 'is not', null)
      .where('state', '=', literally('open')),
)

interface Movement extends Given {
  readonly from: UploadState
  readonly to: UploadState
}

const movement = prepared(
  (db, given: Movement & { readonly by: string | undefined; readonly until: Instant | undefined }) =>
    db
      .updateTable('uploads')
      .set({ state: given.to, closed_at: null, failure: null, leased_by: given.by, leased_until: given.until })
      .where('upload_id', '=', given.uploadId)
      .where('state', '=', given.from),
)

interface Closing extends Movement {
  readonly at: Instant
  readonly failure: UploadFailure | undefined
}

function closing(db: Kysely<Schema>, given: Closing) {
  const nothing = { opener: null, session_id: null, writing_until: null, leased_by: null, leased_until: null }
  return db
    .updateTable('uploads')
    .set({ state: given.to, closed_at: given.at, failure: given.failure, ...nothing })
    .where('upload_id', '=', given.uploadId)
    .where('state', '=', given.from)
}

const whatIsLeft = (column: 'received_bytes' | 'chunk_count', { to }: Closing) =>
  sql<number>`case when cast(${to} as text) = 'ended' then 0 else ${sql.ref(column)} end`

/** What such a session is still asked for is its state. A column that must not be null gets an empty value. */
function closingUnlanded(db: Kysely<Schema>, given: Closing) {
  return closing(db, given).set({
    envelope: sql`case when envelope is null then null else '{}' end`,
    kem_ct: sql`substr(kem_ct, 1, 0)`,
    suggested_filename: null,
    // The chunks of an ended one are removed.
    received_bytes: whatIsLeft('received_bytes', given),
    chunk_count: whatIsLeft('chunk_count', given),
  })
}

const closingLanded = prepared(closing)
const closingAnyway = prepared(closingUnlanded)

const closingIdle = prepared((db, given: Closing & { readonly receivedBytes: number }) =>
  closingUnlanded(db, given)
    .where('received_bytes', '=', given.receivedBytes)
    .where((upload) => upload.or([upload('writing_until', 'is', null), upload('writing_until', '<=', given.at)])),
)

// Open and finishing sessions have no `closed_at`. The foreign key removes the chunks with their sessions.
const removalOfClosed = prepared((db, given: Pruning) =>
  db.deleteFrom('uploads').where('upload_id', 'in', (from) => closedBefore(from, given).limit(given.max)),
)

const removalOfUnlanded = prepared((db, given: Pruning) =>
  db
    .deleteFrom('uploads')
    .where('upload_id', 'in', (from) =>
      closedBefore(from, given).where(sql<boolean>`state in ('ended', 'failed')`).limit(given.max),
    ),
)

interface Pruning {
  readonly before: Instant
  readonly max: number
}

function closedBefore(from: ExpressionBuilder<Schema, 'uploads'>, { before }: Pruning) {
  return from.selectFrom('uploads').select('upload_id').where('closed_at', '<', before)
}

const removalOfChunks = prepared((db, given: Given) => db.deleteFrom('chunks').where('upload_id', '=', given.uploadId))

export function uploadReads(db: Db): UploadReads {
  return {
    async find(uploadId) {
      const row = await byId.first(db, { uploadId })
      return row && uploadOf(row)
    },
    async findAt(uploadId, offset) {
      const row = await withOwnerAndChunk.first(db, { uploadId, offset: offset ?? null })
      return row && { upload: uploadOf(row), owner: standingOf(row), recorded: joinedChunkOf(row) }
    },
    async findByIdempotencyKey(opaqueId, idempotencyKey) {
      const row = await byIdempotencyKey.first(db, { opaqueId, idempotencyKey })
      return row && dropUploadOf(row)
    },
    ...chunkReads(db),
    async openOf(opaqueId) {
      return (await openOfLink.all(db, { opaqueId })).map(uploadOf)
    },
    async unclosedOfAsset(assetId) {
      return (await unclosedOfAsset.all(db, { assetId })).map(assetUploadOf)
    },
    async unclosedOfAccount(accountId) {
      return (await unclosedOfAccount.all(db, { accountId })).map(uploadOf)
    },
    async unclosedPage(accountId, { after, max }) {
      const asked = { accountId, max: max + 1 }
      const found = await (after === undefined
        ? firstUnclosed.all(db, asked)
        : nextUnclosed.all(db, { ...asked, ...after }))
      const uploads = found.slice(0, max).map(unclosedOf)
      return { uploads, next: found.length > max ? uploads.at(-1) : undefined }
    },
    async countLanding(accountId) {
      const row = await landingCounts.first(db, { accountId })
      return { pendingDrops: row?.pending_drops ?? 0, unclosed: row?.unclosed ?? 0 }
    },
    async countUnclosedOwn(accountId, sessionId) {
      const counts = await countOfUnclosedOwn.first(db, { accountId, sessionId: sessionId ?? null })
      return { all: counts?.all ?? 0, ofSession: counts?.ofSession ?? 0 }
    },
    async finishing(who) {
      return (await finishingBy.all(db, who)).map((row) => row.upload_id)
    },
    async expired(limits) {
      return (await expired.all(db, limits)).map(uploadOf)
    },
    async claims(given) {
      const found = await claims.first(db, given)
      if (found === undefined) throw new Error('A sum has one row')
      return { ...found }
    },
  }
}

export function uploadWrites(db: Db): UploadWrites {
  return {
    async insert(upload) {
      if (upload.assetId === undefined)
        await insertionOfGuests.changed(db, { ...upload, openerText: upload.opener && JSON.stringify(upload.opener) })
      else await insertionOfOwners.changed(db, { ...upload, envelopeText: envelopeText(upload.envelope) })
    },
    ...chunkWrites(db),
    async redeclare(uploadId, { contentType, envelope, declarationHash }) {
      const given = { uploadId, contentType, envelopeText: envelopeText(envelope), declarationHash }
      if ((await redeclaration.changed(db, given)) !== 1)
        throw new Error('Only an open session of an owner can be declared again')
    },
    async lease(uploadId, lease) {
      return (await leasing.changed(db, { uploadId, ...lease })) === 1
    },
    async move(uploadId, { from, to, at, failure, lease, receivedBytes }) {
      const step = { uploadId, from, to }
      if (to === 'open' || to === 'finishing')
        return (await movement.changed(db, { ...step, by: lease?.by, until: lease?.until })) === 1
      const closed = { ...step, at, failure }
      const changed =
        to === 'landed'
          ? closingLanded.changed(db, closed)
          : receivedBytes === undefined
            ? closingAnyway.changed(db, closed)
            : closingIdle.changed(db, { ...closed, receivedBytes })
      const isClosed = (await changed) === 1
      // An ended session looks like an unknown one, so nothing asks for its chunks.
      if (isClosed && to === 'ended') await removalOfChunks.changed(db, { uploadId })
      return isClosed
    },
    async prune({ closedBefore, unlandedBefore, max }) {
      const closed = await removalOfClosed.changed(db, { before: closedBefore, max })
      return closed + (await removalOfUnlanded.changed(db, { before: unlandedBefore, max }))
    },
  }
}
