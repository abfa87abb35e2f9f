import type { AccountId, Instant, OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import { linkCapMembersOf, linkCapsOf } from '@blindkeep/protocol/schemas/links'
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import type {
  LandedFiles,
  Link,
  LinkPlace,
  LinkReads,
  LinkTerms,
  LinkUse,
  LinkWrites,
  NewLink,
  OwnedLink,
} from '../../ports/store.ts'
import { standingOf, useOf } from './accounts.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { apart, prepared, preparedForList, type Some, someOf } from './prepared.ts'
import type { LinkTable, Schema } from './schema.ts'

const byId = prepared((db, given: { readonly opaqueId: OpaqueId }) =>
  db.selectFrom('links').select(columnsOf('links')).where('opaque_id', '=', given.opaqueId),
)

/** Always finds a row, if there is any: otherwise an unknown id would answer some microseconds sooner than that of a dead link. */
const withOwner = prepared((db, given: { readonly opaqueId: OpaqueId }) =>
  db
    .selectFrom('links')
    .innerJoin('accounts', 'accounts.account_id', 'links.account_id')
    .select(columnsOf('links'))
    .select(['accounts.suspended_at', 'accounts.deleted_at', 'accounts.used_bytes', 'accounts.soft_limit_bytes'])
    .select(['accounts.hard_limit_bytes', 'accounts.exceeded_since'])
    .where('opaque_id', '=', (link) =>
      link.fn.coalesce(
        link.selectFrom('links as asked').select('asked.opaque_id').where('asked.opaque_id', '=', given.opaqueId),
        link.selectFrom('links as any').select(({ fn }) => fn.min('any.opaque_id').as('lowest')),
      ),
    ),
)

/** Numbers and texts alone: it is asked beside what lands. */
const takers = apart(
  preparedForList((db, rows: Some<{ readonly opaqueId: OpaqueId }>) =>
    db
      .selectFrom('links')
      .innerJoin('accounts', 'accounts.account_id', 'links.account_id')
      .select(['opaque_id', 'single_use', 'claimed_by', 'accounts.suspended_at', 'accounts.deleted_at'])
      .where(
        'opaque_id',
        'in',
        rows.map(({ opaqueId }) => opaqueId),
      ),
  ),
)

const pending = (link: ExpressionBuilder<Schema, 'links'>) =>
  link
    .selectFrom('drops')
    .whereRef('drops.opaque_id', '=', 'links.opaque_id')
    .select((drop) => drop.fn.countAll<number>().as('count'))
    .$asScalar()
    .$notNull()
    .as('pending')

interface PageOf {
  readonly accountId: AccountId
  readonly max: number
}

const listed = (db: Kysely<Schema>) => db.selectFrom('links').select(columnsOf('links')).select(pending)

const pageOf = (db: Kysely<Schema>, given: PageOf) =>
  listed(db)
    .where('account_id', '=', given.accountId)
    .where('is_buried', '=', sql.lit(0))
    .orderBy('created_at')
    .orderBy('link_seq')
    .limit(given.max)

const firstPage = prepared(pageOf)

const nextPage = prepared((db, given: PageOf & LinkPlace) =>
  pageOf(db, given).where(({ eb, refTuple, tuple }) =>
    eb(refTuple('created_at', 'link_seq'), '>', tuple(given.createdAt, given.linkSeq)),
  ),
)

const own = prepared((db, given: { readonly opaqueId: OpaqueId; readonly accountId: AccountId }) =>
  listed(db).where('opaque_id', '=', given.opaqueId).where('account_id', '=', given.accountId),
)

interface AtInstant {
  readonly accountId: AccountId
  readonly at: Instant
}

const live = (db: Kysely<Schema>, given: AtInstant) =>
  db
    .selectFrom('links')
    .where('account_id', '=', given.accountId)
    .where('revoked_at', 'is', null)
    .where('spent_at', 'is', null)
    .where((link) => link.or([link('expires_at', 'is', null), link('expires_at', '>', given.at)]))

const liveCount = prepared((db, given: AtInstant) =>
  live(db, given).select((link) => link.fn.countAll<number>().as('live')),
)

const heldByLive = prepared((db, given: AtInstant) => live(db, given).select(['opaque_id', 'open_sessions', pending]))
const listedCount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('links')
    .select((link) => link.fn.countAll<number>().as('listed'))
    .where('account_id', '=', given.accountId)
    .where('is_buried', '=', sql.lit(0)),
)

/** The oldest that have ended and that nothing waits for. */
const burial = prepared((db, given: { readonly accountId: AccountId; readonly at: Instant; readonly max: number }) =>
  db
    .updateTable('links')
    .set((link) => ({
      is_buried: 1,
      revoked_at: link.fn.coalesce('revoked_at', link.val(given.at)),
      // The column must not be null; an empty value is no key.
      drop_public_key: new Uint8Array(0),
      verifier_hash: null,
      sealed_label: null,
      sealed_title: null,
    }))
    .where('link_seq', 'in', (from) =>
      from
        .selectFrom('links as ended')
        .select('link_seq')
        .where('account_id', '=', given.accountId)
        .where('is_buried', '=', sql.lit(0))
        .where('open_sessions', '=', 0)
        .where((link) =>
          link.or([
            link('revoked_at', 'is not', null),
            link('spent_at', 'is not', null),
            link('expires_at', '<=', given.at),
          ]),
        )
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('drops').select('drop_seq').whereRef('drops.opaque_id', '=', 'ended.opaque_id'))),
        )
        .orderBy('created_at')
        .orderBy('link_seq')
        .limit(given.max),
    ),
)

const insertion = prepared((db, given: NewLink & { readonly singleUseNumber: 0 | 1 }) =>
  db
    .insertInto('links')
    .values({
      opaque_id: given.opaqueId,
      account_id: given.accountId,
      drop_public_key: given.dropPublicKey,
      suite_id: given.suiteId,
      protocol_version: given.protocolVersion,
      verifier_hash: given.verifierHash,
      sealed_label: given.sealedLabel,
      sealed_title: given.sealedTitle,
      created_at: given.createdAt,
      expires_at: given.expiresAt,
      ...linkCapMembersOf(given),
      single_use: given.singleUseNumber,
    })
    .onConflict((conflict) => conflict.column('opaque_id').doNothing()),
)

interface Reservation {
  readonly opaqueId: OpaqueId
  readonly size: number
  readonly at: Instant
  readonly maxOpenSessions: number
}

/** Checks everything that can end or fill a link, in the same statement that reserves. */
const admittedReservation = apart(
  prepared((db, given: Reservation) =>
    db
      .updateTable('links')
      .set((link) => ({
        open_sessions: link('open_sessions', '+', 1),
        open_bytes: link('open_bytes', '+', given.size),
      }))
      .where('opaque_id', '=', given.opaqueId)
      .where('revoked_at', 'is', null)
      .where('spent_at', 'is', null)
      .where((link) => link.or([link('expires_at', 'is', null), link('expires_at', '>', given.at)]))
      .where('open_sessions', '<', given.maxOpenSessions)
      .where((link) => link.or([link('max_file_size', 'is', null), link('max_file_size', '>=', given.size)]))
      .where((link) =>
        link.or([
          link('max_file_count', 'is', null),
          link(link('landed_files', '+', link.ref('open_sessions')), '<', link.ref('max_file_count')),
        ]),
      )
      .where((link) =>
        link(
          link('landed_bytes', '+', link.ref('open_bytes')),
          '<=',
          // Without a cap, the largest exact number is the cap.
          link(link.fn.coalesce('max_total_bytes', sql.lit(Number.MAX_SAFE_INTEGER)), '-', given.size),
        ),
      ),
  ),
)

const releasing = prepared((db, given: { readonly opaqueId: OpaqueId; readonly size: number }) =>
  db
    .updateTable('links')
    .set((link) => ({
      open_sessions: link('open_sessions', '-', 1),
      open_bytes: link('open_bytes', '-', given.size),
    }))
    .where('opaque_id', '=', given.opaqueId),
)

const landing = apart(
  preparedForList((db, rows: Some<LandedFiles & { readonly at: Instant }>) => {
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
        open_sessions: link('open_sessions', '-', link.ref('landed.column2')),
        open_bytes: link('open_bytes', '-', link.ref('landed.column3')),
        landed_files: link('landed_files', '+', link.ref('landed.column2')),
        landed_bytes: link('landed_bytes', '+', link.ref('landed.column3')),
        claimed_by: null,
        spent_at: link
          .case()
          .when('single_use', '=', 1)
          .then(link.fn.coalesce('spent_at', link.val(rows[0].at)))
          .else(null)
          .end(),
      }))
      .whereRef('links.opaque_id', '=', 'landed.column1')
      .returning(['links.opaque_id', 'links.spent_at'])
  }),
)

const claim = prepared((db, given: { readonly opaqueId: OpaqueId; readonly uploadId: UploadId }) =>
  db
    .updateTable('links')
    .set({ claimed_by: given.uploadId })
    .where('opaque_id', '=', given.opaqueId)
    .where('single_use', '=', 1)
    .where('spent_at', 'is', null)
    .where((link) => link.or([link('claimed_by', 'is', null), link('claimed_by', '=', given.uploadId)])),
)

const unclaiming = prepared((db, given: { readonly opaqueId: OpaqueId; readonly uploadId: UploadId }) =>
  db
    .updateTable('links')
    .set({ claimed_by: null })
    .where('opaque_id', '=', given.opaqueId)
    .where('claimed_by', '=', given.uploadId),
)

const newTerms = prepared((db, given: LinkTerms & { readonly opaqueId: OpaqueId }) =>
  db
    .updateTable('links')
    .set({
      expires_at: given.expiresAt,
      sealed_label: given.sealedLabel,
      sealed_title: given.sealedTitle,
      ...linkCapMembersOf(given),
    })
    .where('opaque_id', '=', given.opaqueId),
)

const firstRevocation = prepared(
  (db, given: { readonly opaqueId: OpaqueId; readonly accountId: AccountId; readonly at: Instant }) =>
    db
      .updateTable('links')
      .set({ revoked_at: given.at })
      .where('opaque_id', '=', given.opaqueId)
      .where('account_id', '=', given.accountId)
      .where('revoked_at', 'is', null),
)

export function linkReads(db: Db): LinkReads {
  return {
    async find(opaqueId) {
      const row = await byId.first(db, { opaqueId })
      return row && linkOf(row)
    },
    async findWithOwner(opaqueId) {
      const row = await withOwner.first(db, { opaqueId })
      return row?.opaque_id === opaqueId ? ownedLinkOf(row) : undefined
    },
    async takers(opaqueIds) {
      const rows = await takers.all(db, someOf(opaqueIds.map((opaqueId) => ({ opaqueId }))))
      return rows.map((row) => ({
        opaqueId: row.opaque_id,
        singleUse: row.single_use === 1,
        claimedBy: row.claimed_by ?? undefined,
        owner: standingOf(row),
      }))
    },
    async findOwn(opaqueId, accountId) {
      const row = await own.first(db, { opaqueId, accountId })
      return row && { ...linkOf(row), pending: row.pending }
    },
    async page(accountId, { after, max }) {
      const asked = { accountId, max: max + 1 }
      const found = await (after === undefined ? firstPage.all(db, asked) : nextPage.all(db, { ...asked, ...after }))
      const rows = found.slice(0, max)
      const last = found.length > max ? rows.at(-1) : undefined
      return {
        links: rows.map((row) => ({ ...linkOf(row), pending: row.pending })),
        next: last && { createdAt: last.created_at, linkSeq: last.link_seq },
      }
    },
    async countListed(accountId) {
      return (await listedCount.first(db, { accountId }))?.listed ?? 0
    },
    async countLive(accountId, at) {
      return (await liveCount.first(db, { accountId, at }))?.live ?? 0
    },
    async heldPlaces(accountId, at) {
      const rows = await heldByLive.all(db, { accountId, at })
      return rows.map((row) => ({ opaqueId: row.opaque_id, held: row.open_sessions + row.pending }))
    },
  }
}

export function linkWrites(db: Db): LinkWrites {
  return {
    async insert(link) {
      return (await insertion.changed(db, { ...link, singleUseNumber: link.singleUse ? 1 : 0 })) === 1
    },
    async reserve(opaqueId, reservation) {
      return (await admittedReservation.changed(db, { opaqueId, ...reservation })) === 1
    },
    async release(opaqueId, size) {
      if ((await releasing.changed(db, { opaqueId, size })) === 1) return
      throw new Error('A reservation was released on a link that does not exist')
    },
    async land(landed, at) {
      const rows = await landing.all(db, someOf(landed.map((files) => ({ ...files, at }))))
      if (rows.length !== landed.length) throw new Error('A file landed on a link that does not exist')
      return rows.filter((row) => row.spent_at !== null).map((row) => row.opaque_id)
    },
    async claim(opaqueId, uploadId) {
      return (await claim.changed(db, { opaqueId, uploadId })) === 1
    },
    async unclaim(opaqueId, uploadId) {
      await unclaiming.changed(db, { opaqueId, uploadId })
    },
    async setTerms(opaqueId, terms) {
      await newTerms.changed(db, { ...terms, opaqueId })
    },
    async bury(accountId, at, max) {
      return burial.changed(db, { accountId, at, max })
    },
    async revoke(opaqueId, accountId, at) {
      return (await firstRevocation.changed(db, { opaqueId, accountId, at })) === 1
    },
  }
}

export function linkUseOf(row: Selectable<LinkTable>): LinkUse {
  return {
    revokedAt: row.revoked_at ?? undefined,
    spentAt: row.spent_at ?? undefined,
    claimedBy: row.claimed_by ?? undefined,
    landedFiles: row.landed_files,
    landedBytes: row.landed_bytes,
    openSessions: row.open_sessions,
    openBytes: row.open_bytes,
  }
}

type OwnedRow = Selectable<LinkTable> & Parameters<typeof standingOf>[0] & Parameters<typeof useOf>[0]

function ownedLinkOf(row: OwnedRow): OwnedLink {
  return { link: linkOf(row), owner: { ...standingOf(row), ...useOf(row) } }
}

function linkOf(row: Selectable<LinkTable>): Link {
  return {
    opaqueId: row.opaque_id,
    accountId: row.account_id,
    dropPublicKey: row.drop_public_key,
    suiteId: row.suite_id,
    protocolVersion: row.protocol_version,
    verifierHash: row.verifier_hash ?? undefined,
    sealedLabel: row.sealed_label ?? undefined,
    sealedTitle: row.sealed_title ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    ...linkCapsOf(row),
    singleUse: row.single_use === 1,
    ...linkUseOf(row),
  }
}
