import type { AccountId, AssetId, Instant, OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { STANDING, standingOf } from './accounts.ts'
import { chunkReads, chunkWrites, joinedChunkOf } from './chunks.ts'
import type { Db } from './db.ts'
import { type Page, type PageQuestion, pagesOf } from './pages.ts'
import { all, apart, changes, changesOne, count, first, runs, values } from './statements.ts'
import type { AccountStanding } from './tables/accounts.ts'
import type {
  AssetUpload,
  Chunk,
  DropUpload,
  EndingUpload,
  Lease,
  NewAssetUpload,
  NewUpload,
  UnclosedUpload,
  Upload,
  UploadFailure,
  UploadState,
} from './tables/uploads.ts'
import { columnsOf, newRow, type Tables } from './tables.ts'
import { assetUploadOf, dropUploadOf, endingOf, unclosedOf, uploadOf } from './uploadRows.ts'

/** An upload as a request finds it. */
export interface FoundUpload {
  readonly upload: Upload
  /** Of the account that is charged. */
  readonly owner: AccountStanding
  /** The chunk that begins at the offset of the request. */
  readonly recorded: Chunk | undefined
}

/** Writes a state into the text of the query: with a bound state the database would not use a partial index. */
const literally = (state: UploadState) => sql.lit(state)

const rows = (db: Kysely<Tables>) => db.selectFrom('uploads').select(columnsOf('uploads'))

const byId = first((db, uploadId: UploadId) => rows(db).where('uploadId', '=', uploadId))

/** An absent offset finds no chunk. */
const withOwnerAndChunk = first((db, uploadId: UploadId, offset: number | undefined) =>
  db
    .selectFrom('uploads')
    .innerJoin('accounts', 'accounts.accountId', 'uploads.accountId')
    .leftJoin('chunks', (join) =>
      join.onRef('chunks.uploadId', '=', 'uploads.uploadId').on('chunks.offset', '=', offset ?? null),
    )
    .select(columnsOf('uploads'))
    .select(STANDING)
    .select(columnsOf('chunks'))
    .where('uploads.uploadId', '=', uploadId),
)

const byIdempotencyKey = first((db, opaqueId: OpaqueId, idempotencyKey: string) =>
  rows(db).where('opaqueId', '=', opaqueId).where('idempotencyKey', '=', idempotencyKey),
)

const openOfLink = all((db, opaqueId: OpaqueId) =>
  rows(db).where('opaqueId', '=', opaqueId).where('state', '=', literally('open')).orderBy('createdAt'),
)

// Within a millisecond the ids decide: an owner's ids increase with time.
const unclosed = (db: Kysely<Tables>) => rows(db).where('closedAt', 'is', null).orderBy('createdAt').orderBy('uploadId')

const unclosedOfAsset = all((db, assetId: AssetId) => unclosed(db).where('assetId', '=', assetId))

const finishingOfAccount = all((db, accountId: AccountId) =>
  unclosed(db).where('accountId', '=', accountId).where('state', '=', literally('finishing')),
)

const openOfAccount = all((db, accountId: AccountId, max: number) =>
  unclosed(db).where('accountId', '=', accountId).where('state', '=', literally('open')).limit(max),
)

const list = pagesOf({
  by: { time: 'createdAt', seq: 'uploadId' },
  rows: (db, accountId: AccountId) =>
    db
      .selectFrom('uploads')
      .select(['uploadId', 'opaqueId', 'assetId', 'role', 'size', 'receivedBytes', 'state', 'createdAt'])
      .where('accountId', '=', accountId)
      .where('closedAt', 'is', null),
  entry: (db, accountId: AccountId, uploadId: UploadId) =>
    db.selectFrom('uploads').where('uploadId', '=', uploadId).where('accountId', '=', accountId),
})

/** Three queries, each with its index: for one with alternatives SQLite would read every open session. */
const expired = all((db, limits: ExpiryLimits) => {
  const open = db.selectFrom('uploads').select('uploadId').where('state', '=', literally('open'))
  const unbegun = open.where('lastChunkAt', 'is', null).where('createdAt', '<', limits.noChunkBefore)
  const idle = open.where('lastChunkAt', '<', limits.idleBefore)
  const old = open.where('createdAt', '<', limits.createdBefore)
  return db
    .selectFrom('uploads')
    .select(['uploadId', 'opaqueId', 'assetId', 'accountId', 'size', 'location', 'receivedBytes'])
    .where('uploadId', 'in', unbegun.unionAll(idle).unionAll(old))
    .limit(limits.max)
})

export interface ExpiryLimits {
  readonly noChunkBefore: Instant
  readonly idleBefore: Instant
  readonly createdBefore: Instant
  readonly max: number
}

export interface Claims {
  /** Of all open sessions. */
  readonly allBytes: number
  /** Of the active sessions of the account, its guests' included. */
  readonly ownBytes: number
  /** Of the active sessions of other accounts: of each at most as much as it has received. */
  readonly othersEarnedBytes: number
  /** What these sessions lack beyond that: of each account at most `accountBytesMax`. */
  readonly othersUnearnedBytes: number
}

export interface ClaimsGiven {
  readonly accountId: AccountId
  readonly activeSince: Instant
  readonly accountBytesMax: number
}

/** The index has the columns in the order of the groups, so nothing is sorted. */
const claims = first((db, { accountId, activeSince, accountBytesMax }: ClaimsGiven) => {
  const unsent = sql<number>`size - received_bytes`
  const ofActive = (bytes: typeof unsent) =>
    sql<number>`sum(case when coalesce(last_chunk_at, created_at) >= ${activeSince} then ${bytes} else 0 end)`
  const earned = sql<number>`case when size - received_bytes < received_bytes then size - received_bytes else received_bytes end`
  const others = (bytes: typeof unsent) =>
    sql<number>`coalesce(sum(case when account_id <> ${accountId} then ${bytes} else 0 end), 0)`
  const unearned = sql<number>`claimed - earned`
  return db
    .selectFrom((from) =>
      from
        .selectFrom('uploads')
        .select(['accountId', sql<number>`sum(${unsent})`.as('unsent')])
        .select([ofActive(unsent).as('claimed'), ofActive(earned).as('earned')])
        .where('state', '=', literally('open'))
        .groupBy('accountId')
        .as('ofAccount'),
    )
    .select([
      sql<number>`coalesce(sum(unsent), 0)`.as('allBytes'),
      sql<number>`coalesce(sum(case when account_id = ${accountId} then claimed else 0 end), 0)`.as('ownBytes'),
      others(sql`earned`).as('othersEarnedBytes'),
      others(sql`case when ${unearned} < ${accountBytesMax} then ${unearned} else ${accountBytesMax} end`).as(
        'othersUnearnedBytes',
      ),
    ])
})

const landing = first(
  apart((db, accountId: AccountId) =>
    db
      .selectFrom('accounts')
      .select('pendingDrops')
      .select((account) =>
        account
          .selectFrom('uploads')
          .select((upload) => upload.fn.countAll<number>().as('count'))
          .where('accountId', '=', accountId)
          .where('closedAt', 'is', null)
          .$asScalar()
          .$notNull()
          .as('unclosed'),
      )
      .where('accountId', '=', accountId),
  ),
)

/** A process that looks for sessions to complete. */
export interface Finisher {
  readonly by: string
  readonly at: Instant
}

/** No other process has a lease. A lease is live before `leasedUntil`, not at it. */
function mayLease({ by, at }: Finisher) {
  return (upload: ExpressionBuilder<Tables, 'uploads'>) =>
    upload.or([upload('leasedUntil', 'is', null), upload('leasedUntil', '<=', at), upload('leasedBy', '=', by)])
}

export const uploadReads = {
  async find(db: Db, uploadId: UploadId): Promise<Upload | undefined> {
    const row = await byId(db, uploadId)
    return row && uploadOf(row)
  },
  /** One statement. `offset` is undefined if the request names none. */
  async findAt(db: Db, uploadId: UploadId, offset: number | undefined): Promise<FoundUpload | undefined> {
    const row = await withOwnerAndChunk(db, uploadId, offset)
    return row && { upload: uploadOf(row), owner: standingOf(row), recorded: joinedChunkOf(row) }
  },
  async findByIdempotencyKey(db: Db, opaqueId: OpaqueId, idempotencyKey: string): Promise<DropUpload | undefined> {
    const row = await byIdempotencyKey(db, opaqueId, idempotencyKey)
    return row && dropUploadOf(row)
  },
  ...chunkReads,
  /** Open sessions of one link. */
  async openOf(db: Db, opaqueId: OpaqueId): Promise<readonly Upload[]> {
    return (await openOfLink(db, opaqueId)).map(uploadOf)
  },
  /** Open and finishing sessions of one asset, oldest first. */
  async unclosedOfAsset(db: Db, assetId: AssetId): Promise<readonly AssetUpload[]> {
    return (await unclosedOfAsset(db, assetId)).map(assetUploadOf)
  },
  /** Finishing sessions of one account, its guests' included, oldest first. */
  async finishingOfAccount(db: Db, accountId: AccountId): Promise<readonly Upload[]> {
    return (await finishingOfAccount(db, accountId)).map(uploadOf)
  },
  /** At most `max` open ones. */
  async openOfAccount(db: Db, accountId: AccountId, max: number): Promise<readonly Upload[]> {
    return (await openOfAccount(db, accountId, max)).map(uploadOf)
  },
  /** Open and finishing ones of an account, its guests' included, without what was declared. */
  async page(db: Db, accountId: AccountId, question: PageQuestion): Promise<Page<UnclosedUpload>> {
    const { rows, next } = await list.page(db, accountId, question)
    return { rows: rows.map(unclosedOf), next }
  },
  /** Of a closed one too. */
  placeOf: list.placeOf,
  /** Pending drops and open or finishing sessions of an account, its guests' included. One statement. */
  async countLanding(db: Db, accountId: AccountId) {
    return (await landing(db, accountId)) ?? { pendingDrops: 0, unclosed: 0 }
  },
  /** How many of the owner's own uploads are open or finishing. */
  countUnclosedOwn: count((db, accountId: AccountId) =>
    db
      .selectFrom('uploads')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('accountId', '=', accountId)
      .where('closedAt', 'is', null)
      .where('assetId', 'is not', null),
  ),
  /** All finishing sessions that `by` may complete at `at`: without a lease of another process. */
  finishing: values((db, who: Finisher) =>
    db
      .selectFrom('uploads')
      .select('uploadId')
      .where('state', '=', literally('finishing'))
      .where(mayLease(who))
      .orderBy('createdAt'),
  ),
  /**
   * At most `max` open sessions that were created before `noChunkBefore` and have no chunk, or received their last
   * chunk before `idleBefore`, or were created before `createdBefore`.
   */
  async expired(db: Db, limits: ExpiryLimits): Promise<readonly EndingUpload[]> {
    return (await expired(db, limits)).map(endingOf)
  },
  /** What open sessions still lack. Active: created, or a chunk received, at `activeSince` or later. */
  async claims(db: Db, given: ClaimsGiven): Promise<Claims> {
    const found = await claims(db, given)
    if (found === undefined) throw new Error('A sum has one row')
    return found
  },
}

const insertion = (db: Kysely<Tables>, upload: NewUpload) =>
  db.insertInto('uploads').values({ ...newRow('uploads', upload), state: 'open' })

const insertionOfGuests = runs(apart((db, upload: NewUpload) => insertion(db, upload)))
const insertionOfOwners = runs(insertion)

type Declaration = Pick<NewAssetUpload, 'contentType' | 'envelope' | 'declarationHash'>

const redeclaration = changesOne((db, uploadId: UploadId, { contentType, envelope, declarationHash }: Declaration) =>
  db
    .updateTable('uploads')
    .set({ contentType, envelope, declarationHash })
    .where('uploadId', '=', uploadId)
    .where('assetId', 'is not', null)
    .where('state', '=', literally('open')),
)

export interface UploadStep {
  readonly from: UploadState
  readonly to: UploadState
  readonly at: Instant
  readonly failure?: UploadFailure | undefined
  readonly lease?: Lease | undefined
  readonly receivedBytes?: number | undefined
}

const movement = changesOne((db, uploadId: UploadId, { from, to, lease }: UploadStep) =>
  db
    .updateTable('uploads')
    .set({ state: to, closedAt: null, failure: null, leasedBy: lease?.by, leasedUntil: lease?.until })
    .where('uploadId', '=', uploadId)
    .where('state', '=', from),
)

function closing(db: Kysely<Tables>, uploadId: UploadId, { from, to, at, failure }: UploadStep) {
  const nothing = { opener: null, sessionId: null, writingUntil: null, leasedBy: null, leasedUntil: null }
  return db
    .updateTable('uploads')
    .set({ state: to, closedAt: at, failure, ...nothing })
    .where('uploadId', '=', uploadId)
    .where('state', '=', from)
}

const whatIsLeft = (column: 'receivedBytes' | 'chunkCount', { to }: UploadStep) =>
  sql<number>`case when cast(${to} as text) = 'ended' then 0 else ${sql.ref(column)} end`

/** What such a session is still asked for is its state. A column that must not be null gets an empty value. */
function closingUnlanded(db: Kysely<Tables>, uploadId: UploadId, step: UploadStep) {
  return closing(db, uploadId, step).set({
    envelope: sql`case when envelope is null then null else '{}' end`,
    kemCt: sql`substr(kem_ct, 1, 0)`,
    suggestedFilename: null,
    // The chunks of an ended one are removed.
    receivedBytes: whatIsLeft('receivedBytes', step),
    chunkCount: whatIsLeft('chunkCount', step),
  })
}

const closingLanded = changesOne(closing)
const closingAnyway = changesOne(closingUnlanded)

const closingIdle = changesOne((db, uploadId: UploadId, step: UploadStep & { readonly receivedBytes: number }) =>
  closingUnlanded(db, uploadId, step)
    .where('receivedBytes', '=', step.receivedBytes)
    .where((upload) => upload.or([upload('writingUntil', 'is', null), upload('writingUntil', '<=', step.at)])),
)

// Open and finishing sessions have no `closedAt`. The foreign key removes the chunks with their sessions.
const removalOfClosed = changes((db, before: Instant, max: number) =>
  db.deleteFrom('uploads').where('uploadId', 'in', (from) => closedBefore(from, before).limit(max)),
)

const removalOfUnlanded = changes((db, before: Instant, max: number) =>
  db
    .deleteFrom('uploads')
    .where('uploadId', 'in', (from) =>
      closedBefore(from, before).where(sql<boolean>`state in ('ended', 'failed')`).limit(max),
    ),
)

function closedBefore(from: ExpressionBuilder<Tables, 'uploads'>, before: Instant) {
  return from.selectFrom('uploads').select('uploadId').where('closedAt', '<', before)
}

const removalOfChunks = runs((db, uploadId: UploadId) => db.deleteFrom('chunks').where('uploadId', '=', uploadId))

export const uploadWrites = {
  insert(db: Db, upload: NewUpload): Promise<void> {
    return upload.assetId === undefined ? insertionOfGuests(db, upload) : insertionOfOwners(db, upload)
  },
  ...chunkWrites,
  /** Replaces the declaration of an owner's open session. Throws if it is not open. */
  async redeclare(db: Db, uploadId: UploadId, declaration: Declaration): Promise<void> {
    if (await redeclaration(db, uploadId, declaration)) return
    throw new Error('Only an open session of an owner can be declared again')
  },
  /**
   * Leases a finishing session. False, and nothing changed, if another process has a lease at `at`, or it is not
   * finishing. One conditional statement.
   */
  lease: changesOne((db, uploadId: UploadId, lease: Lease & Finisher) =>
    db
      .updateTable('uploads')
      .set({ leasedBy: lease.by, leasedUntil: lease.until })
      .where('uploadId', '=', uploadId)
      .where('state', '=', literally('finishing'))
      .where(mayLease(lease)),
  ),
  /**
   * Moves a session to another state. One that fails or ends keeps nothing of its declaration but size and hash; one
   * that ends, no chunks. False, and nothing changed, if it is not in `from`: a compare-and-set. With `receivedBytes`,
   * also false if it has not received exactly so many bytes, or a request writes to it at `at`. `at` becomes `closedAt`
   * unless `to` is finishing. Pass `failure` only if `to` is failed, and `lease` only if it is finishing.
   */
  async move(db: Db, uploadId: UploadId, step: UploadStep): Promise<boolean> {
    const { to, receivedBytes } = step
    if (to === 'open' || to === 'finishing') return movement(db, uploadId, step)
    const isClosed = await (to === 'landed'
      ? closingLanded(db, uploadId, step)
      : receivedBytes === undefined
        ? closingAnyway(db, uploadId, step)
        : closingIdle(db, uploadId, { ...step, receivedBytes }))
    // An ended session looks like an unknown one, so nothing asks for its chunks.
    if (isClosed && to === 'ended') await removalOfChunks(db, uploadId)
    return isClosed
  },
  /**
   * Removes sessions that closed before `closedBefore`, and those that failed or ended before `unlandedBefore`, at most
   * `max` of each, and their chunks. Receipts stay. Answers how many sessions.
   */
  async prune(
    db: Db,
    which: { readonly closedBefore: Instant; readonly unlandedBefore: Instant; readonly max: number },
  ): Promise<number> {
    const closed = await removalOfClosed(db, which.closedBefore, which.max)
    return closed + (await removalOfUnlanded(db, which.unlandedBefore, which.max))
  },
}
