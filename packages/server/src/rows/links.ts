import type { AccountId, Instant, OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { QUOTA, STANDING, standingOf, useOf } from './accounts.ts'
import type { Db } from './db.ts'
import { pagesOf } from './pages.ts'
import {
  all,
  apart,
  changes,
  changesOne,
  count,
  first,
  forList,
  insertsUnless,
  runs,
  type Some,
  value,
} from './statements.ts'
import type { AccountStanding, AccountUse } from './tables/accounts.ts'
import { type Link, type LinkRefusals, type LinkRow, type LinkTerms, UNRULED } from './tables/links.ts'
import { columnNames, columnsOf, picked, type Tables } from './tables.ts'

export interface OwnedLink {
  readonly link: Link
  readonly owner: AccountStanding & AccountUse
}

export interface ListedLink extends LinkRow {
  /** Pending drops. */
  readonly pending: number
}

/** Places of the account's inbox that a link uses: its pending drops, open and finishing sessions. */
export interface HeldPlaces {
  readonly opaqueId: OpaqueId
  readonly held: number
}

/** What has landed through one link. */
export interface LandedFiles {
  readonly opaqueId: OpaqueId
  readonly files: number
  /** All files together. */
  readonly bytes: number
}

/** What decides whether a link takes a file that has arrived. */
export interface LinkTaker extends Pick<Link, 'opaqueId' | 'singleUse' | 'claimedBy'> {
  readonly owner: AccountStanding
}

const ruled = columnNames('links', { without: UNRULED })

/**
 * Always finds a row, if there is any: otherwise an unknown id would answer some microseconds sooner than that of a
 * dead link. Without its texts: one of 4 KiB takes microseconds to read.
 */
const withOwnerOrAny = first((db, opaqueId: OpaqueId) =>
  db
    .selectFrom('links')
    .innerJoin('accounts', 'accounts.accountId', 'links.accountId')
    .select(ruled.map((name) => `links.${name}` as const))
    .select(STANDING)
    .select(QUOTA)
    .where('opaqueId', '=', (link) =>
      link.fn.coalesce(
        link.selectFrom('links as asked').select('asked.opaqueId').where('asked.opaqueId', '=', opaqueId),
        link.selectFrom('links as any').select(({ fn }) => fn.min('any.opaqueId').as('lowest')),
      ),
    ),
)

/** Numbers and texts alone: it is asked beside what lands. */
const takers = forList(
  apart((db, opaqueIds: Some<OpaqueId>) =>
    db
      .selectFrom('links')
      .innerJoin('accounts', 'accounts.accountId', 'links.accountId')
      .select(['opaqueId', 'singleUse', 'claimedBy', ...STANDING])
      .where('opaqueId', 'in', opaqueIds),
  ),
)

const pending = (link: ExpressionBuilder<Tables, 'links'>) =>
  link
    .selectFrom('drops')
    .whereRef('drops.opaqueId', '=', 'links.opaqueId')
    .select((drop) => drop.fn.countAll<number>().as('count'))
    .$asScalar()
    .$notNull()
    .as('pending')

const listed = (db: Kysely<Tables>) => db.selectFrom('links').select(columnsOf('links')).select(pending)

const list = pagesOf({
  by: { time: 'createdAt', seq: 'linkSeq' },
  rows: (db, accountId: AccountId) => listed(db).where('accountId', '=', accountId).where('isBuried', '=', sql.lit(0)),
  entry: (db, accountId: AccountId, opaqueId: OpaqueId) =>
    db.selectFrom('links').where('opaqueId', '=', opaqueId).where('accountId', '=', accountId),
})

const live = (db: Kysely<Tables>, accountId: AccountId, at: Instant) =>
  db
    .selectFrom('links')
    .where('accountId', '=', accountId)
    .where('revokedAt', 'is', null)
    .where('spentAt', 'is', null)
    .where((link) => link.or([link('expiresAt', 'is', null), link('expiresAt', '>', at)]))

const heldByLive = all((db, accountId: AccountId, at: Instant) =>
  live(db, accountId, at).select(['opaqueId', 'openSessions', pending]),
)

export const linkReads = {
  find: first((db, opaqueId: OpaqueId) =>
    db.selectFrom('links').select(columnsOf('links')).where('opaqueId', '=', opaqueId),
  ),
  /** Takes as long for an unknown id: a client that asks for dead ones learns nothing from the time. */
  async findWithOwner(db: Db, opaqueId: OpaqueId): Promise<OwnedLink | undefined> {
    const row = await withOwnerOrAny(db, opaqueId)
    if (row?.opaqueId !== opaqueId) return undefined
    return { link: picked(row, ruled), owner: { ...standingOf(row), ...useOf(row) } }
  },
  /** Undefined if it has none. */
  sealedTitle: value((db, opaqueId: OpaqueId) =>
    db.selectFrom('links').select('sealedTitle').where('opaqueId', '=', opaqueId),
  ),
  /** Of those that exist of 1 to 64, in no order. */
  async takers(db: Db, opaqueIds: readonly OpaqueId[]): Promise<readonly LinkTaker[]> {
    const { rows } = await takers(db, opaqueIds)
    return rows.map(({ opaqueId, singleUse, claimedBy, ...owner }) => ({ opaqueId, singleUse, claimedBy, owner }))
  },
  /** Undefined if the account's list has no such link. */
  findOwn: first((db, opaqueId: OpaqueId, accountId: AccountId) =>
    listed(db).where('opaqueId', '=', opaqueId).where('accountId', '=', accountId).where('isBuried', '=', sql.lit(0)),
  ),
  /** No buried ones. */
  page: list.page,
  /** Buried ones too. */
  placeOf: list.placeOf,
  /** How many all pages have. */
  countListed: count((db, accountId: AccountId) =>
    db
      .selectFrom('links')
      .select((link) => link.fn.countAll<number>().as('listed'))
      .where('accountId', '=', accountId)
      .where('isBuried', '=', sql.lit(0)),
  ),
  /** Links that are neither revoked, spent nor expired at `at`. */
  countLive: count((db, accountId: AccountId, at: Instant) =>
    live(db, accountId, at).select((link) => link.fn.countAll<number>().as('live')),
  ),
  /** Of the same links, in no order. */
  async heldPlaces(db: Db, accountId: AccountId, at: Instant): Promise<readonly HeldPlaces[]> {
    const rows = await heldByLive(db, accountId, at)
    return rows.map((row) => ({ opaqueId: row.opaqueId, held: row.openSessions + row.pending }))
  },
}

export interface LinkReservation {
  readonly size: number
  readonly at: Instant
  readonly maxOpenSessions: number
}

const releasing = changesOne((db, opaqueId: OpaqueId, size: number) =>
  db
    .updateTable('links')
    .set((link) => ({ openSessions: link('openSessions', '-', 1), openBytes: link('openBytes', '-', size) }))
    .where('opaqueId', '=', opaqueId),
)

const landing = forList(
  apart((db, rows: Some<LandedFiles>, at: Instant) => {
    const given = rows.map(
      ({ opaqueId, files, bytes }) =>
        sql`(cast(${opaqueId} as text), cast(${files} as bigint), cast(${bytes} as bigint))`,
    )
    // Both databases give the columns of `values` these names.
    const landed = sql<{ column1: OpaqueId; column2: number; column3: number }>`(values ${sql.join(given)})`
    return db
      .updateTable('links')
      .from(landed.as<'landed'>('landed'))
      .set((link) => ({
        openSessions: link('openSessions', '-', link.ref('landed.column2')),
        openBytes: link('openBytes', '-', link.ref('landed.column3')),
        landedFiles: link('landedFiles', '+', link.ref('landed.column2')),
        landedBytes: link('landedBytes', '+', link.ref('landed.column3')),
        claimedBy: null,
        spentAt: link
          .case()
          .when('singleUse', '=', true)
          .then(link.fn.coalesce('spentAt', link.val(at)))
          .else(null)
          .end(),
      }))
      .whereRef('links.opaqueId', '=', 'landed.column1')
      .returning(['links.opaqueId', 'links.spentAt'])
  }),
)

export const linkWrites = {
  /** False if the id is taken, by any account. */
  insert: insertsUnless('links', 'opaqueId'),
  /**
   * Reserves one file of `size` bytes, if the link is live at `at`, fewer than `maxOpenSessions` are open, and landed
   * and open files together stay within all caps (a cap may be reached exactly). False, and nothing changed, otherwise.
   * One conditional statement: of simultaneous reservations exactly as many succeed as fit.
   */
  reserve: changesOne(
    apart((db, opaqueId: OpaqueId, { size, at, maxOpenSessions }: LinkReservation) =>
      db
        .updateTable('links')
        .set((link) => ({ openSessions: link('openSessions', '+', 1), openBytes: link('openBytes', '+', size) }))
        .where('opaqueId', '=', opaqueId)
        // As one condition, for which no index is made: PostgreSQL might read all live links by theirs.
        .where((link) => link(link.fn.coalesce('revokedAt', 'spentAt'), 'is', null))
        .where((link) => link.or([link('expiresAt', 'is', null), link('expiresAt', '>', at)]))
        .where('openSessions', '<', maxOpenSessions)
        .where((link) => link.or([link('maxFileSize', 'is', null), link('maxFileSize', '>=', size)]))
        .where((link) =>
          link.or([
            link('maxFileCount', 'is', null),
            link(link('landedFiles', '+', link.ref('openSessions')), '<', link.ref('maxFileCount')),
          ]),
        )
        .where((link) =>
          link(
            link('landedBytes', '+', link.ref('openBytes')),
            '<=',
            // Without a cap, the largest exact number is the cap.
            link(link.fn.coalesce('maxTotalBytes', sql.lit(Number.MAX_SAFE_INTEGER)), '-', size),
          ),
        ),
    ),
  ),
  /** Releases an open reservation of `size` bytes. */
  async release(db: Db, opaqueId: OpaqueId, size: number): Promise<void> {
    if (await releasing(db, opaqueId, size)) return
    throw new Error('A reservation was released on a link that does not exist')
  },
  /** Makes reservations of 1 to 64 links landed files. Spends single-use links at `at`, and answers which. */
  async land(db: Db, landed: readonly LandedFiles[], at: Instant): Promise<readonly OpaqueId[]> {
    const { rows } = await landing(db, landed, at)
    if (rows.length !== landed.length) throw new Error('A file landed on a link that does not exist')
    return rows.filter(({ spentAt }) => spentAt !== undefined).map(({ opaqueId }) => opaqueId)
  },
  /** Claims a single-use link for a finishing session. False if another session has the claim or the link is spent. */
  claim: changesOne((db, opaqueId: OpaqueId, uploadId: UploadId) =>
    db
      .updateTable('links')
      .set({ claimedBy: uploadId })
      .where('opaqueId', '=', opaqueId)
      .where('singleUse', '=', true)
      .where('spentAt', 'is', null)
      .where((link) => link.or([link('claimedBy', 'is', null), link('claimedBy', '=', uploadId)])),
  ),
  unclaim: runs((db, opaqueId: OpaqueId, uploadId: UploadId) =>
    db.updateTable('links').set({ claimedBy: null }).where('opaqueId', '=', opaqueId).where('claimedBy', '=', uploadId),
  ),
  /** Sets all terms, whatever the link has used. */
  setTerms: runs((db, opaqueId: OpaqueId, terms: LinkTerms) =>
    db
      .updateTable('links')
      .set({
        expiresAt: terms.expiresAt,
        sealedLabel: terms.sealedLabel,
        sealedTitle: terms.sealedTitle,
        maxTotalBytes: terms.maxTotalBytes,
        maxFileCount: terms.maxFileCount,
        maxFileSize: terms.maxFileSize,
      })
      .where('opaqueId', '=', opaqueId),
  ),
  /** Of a link that `findOwn` finds in the same transaction. */
  setRefusals: runs((db, opaqueId: OpaqueId, refusals: LinkRefusals) =>
    db.updateTable('links').set({ refusals }).where('opaqueId', '=', opaqueId),
  ),
  /**
   * Takes at most `max` links out of the list, oldest first: of those that are revoked, spent or expired at `at`, and
   * have neither open sessions nor drops that are pending or in the bin. They are revoked for good, and nothing of them
   * stays but the id and what was counted. Answers how many.
   */
  bury: changes((db, accountId: AccountId, at: Instant, max: number) =>
    db
      .updateTable('links')
      .set((link) => ({
        isBuried: 1,
        revokedAt: link.fn.coalesce('revokedAt', link.val(at)),
        // The column must not be null; an empty value is no key.
        dropPublicKey: new Uint8Array(0),
        verifierHash: null,
        sealedLabel: null,
        sealedTitle: null,
        refusals: null,
      }))
      .where('linkSeq', 'in', (from) =>
        from
          .selectFrom('links as ended')
          .select('linkSeq')
          .where('accountId', '=', accountId)
          .where('isBuried', '=', sql.lit(0))
          .where('openSessions', '=', 0)
          .where((link) =>
            link.or([link('revokedAt', 'is not', null), link('spentAt', 'is not', null), link('expiresAt', '<=', at)]),
          )
          .where(({ not, exists, selectFrom }) =>
            not(exists(selectFrom('drops').select('dropSeq').whereRef('drops.opaqueId', '=', 'ended.opaqueId'))),
          )
          .where(({ not, exists, selectFrom }) =>
            not(exists(selectFrom('bin').select('binSeq').whereRef('bin.opaqueId', '=', 'ended.opaqueId'))),
          )
          .orderBy('createdAt')
          .orderBy('linkSeq')
          .limit(max),
      ),
  ),
  /** False if the account has no such link, or it was revoked before. */
  revoke: changesOne((db, opaqueId: OpaqueId, accountId: AccountId, at: Instant) =>
    db
      .updateTable('links')
      .set({ revokedAt: at })
      .where('opaqueId', '=', opaqueId)
      .where('accountId', '=', accountId)
      .where('revokedAt', 'is', null),
  ),
}
