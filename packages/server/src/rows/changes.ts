import type { AccountId, AssetId, Instant } from '@blindkeep/protocol/ids'
import { sql } from 'kysely'
import { assetOf } from './assets.ts'
import { type Db, postgresKind } from './db.ts'
import {
  all,
  apart,
  changes,
  changesOne,
  forRows,
  inStatements,
  inserts,
  runs,
  type Some,
  someOf,
  value,
} from './statements.ts'
import type { Asset, AssetBlob } from './tables/assets.ts'
import type { Change } from './tables/changes.ts'
import { columnsOf } from './tables.ts'

/** An asset or tombstone with the number of its last change. */
export interface ChangedAsset {
  readonly changeSeq: number
  readonly asset: Asset
  /** In the order of landing; a tombstone has none. */
  readonly blobs: readonly AssetBlob[]
}

export interface NotedEvent {
  readonly accountId: AccountId
  readonly changeSeq: number
  readonly at: Instant
  readonly change: Change
}

export interface ChangesAfter {
  readonly accountId: AccountId
  readonly changeSeq: number
  readonly max: number
}

const changedAssets = all((db, { accountId, changeSeq, max }: ChangesAfter) =>
  db
    .selectFrom('assets')
    .select(columnsOf('assets'))
    .select('changeSeq')
    .where('accountId', '=', accountId)
    .where('changeSeq', '>', changeSeq)
    .orderBy('changeSeq')
    .limit(max),
)

/** The blobs of all assets of a page, in no order: the database would have to sort them. */
const blobsOfChanged = all((db, { accountId, changeSeq }: ChangesAfter, last: number) =>
  db
    .selectFrom('assets')
    .innerJoin('assetBlobs', 'assetBlobs.assetId', 'assets.assetId')
    .select(columnsOf('assetBlobs'))
    .select('assetBlobs.blobSeq')
    .where('assets.accountId', '=', accountId)
    .where('assets.changeSeq', '>', changeSeq)
    .where('assets.changeSeq', '<=', last),
)

const eventsAfter = all((db, { accountId, changeSeq, max }: ChangesAfter) =>
  db
    .selectFrom('events')
    .select(columnsOf('events'))
    .where('accountId', '=', accountId)
    .where('changeSeq', '>', changeSeq)
    .orderBy('changeSeq')
    .limit(max),
)

export const changeReads = {
  /** The number of the account’s last change, 0 before its first; undefined if there is no such account. */
  lastSeq: value((db, accountId: AccountId) =>
    db.selectFrom('accounts').select('changeSeq').where('accountId', '=', accountId),
  ),
  /** At most `max` assets changed after `changeSeq`, in the order of their numbers. No reservations. */
  async assetsAfter(db: Db, page: ChangesAfter): Promise<readonly ChangedAsset[]> {
    const rows = await changedAssets(db, page)
    const last = rows.at(-1)?.changeSeq ?? page.changeSeq
    const found = rows.length === 0 ? [] : await blobsOfChanged(db, page, last)
    const blobs = Map.groupBy(
      found.toSorted((one, other) => one.blobSeq - other.blobSeq),
      ({ assetId }) => assetId,
    )
    return rows.map(({ changeSeq, ...row }) => ({
      // The query finds only rows that have a number.
      changeSeq: changeSeq ?? last,
      asset: assetOf(row),
      blobs: (blobs.get(row.assetId) ?? []).map(({ blobSeq, ...blob }) => blob),
    }))
  },
  /** At most `max` events with a number above `changeSeq`, in the order of these numbers. */
  async eventsAfter(db: Db, page: ChangesAfter): Promise<readonly NotedEvent[]> {
    return (await eventsAfter(db, page)).map(({ name, data, ...noted }) => ({
      ...noted,
      change: { name, ...JSON.parse(data) },
    }))
  },
}

/** Locks the account’s row until the commit, so that numbers become visible in ascending order. */
const nextNumber = value((db, accountId: AccountId) =>
  db
    .updateTable('accounts')
    .set((account) => ({ changeSeq: account('changeSeq', '+', 1) }))
    .where('accountId', '=', accountId)
    .returning('changeSeq'),
)

const insertion = inserts('events')

/** A change as a row stores it: its name, and the rest as JSON. */
interface NextEvent {
  readonly accountId: AccountId
  readonly at: Instant
  readonly name: Change['name']
  readonly data: string
}

function rowOf({ accountId, at, change: { name, ...of } }: Omit<NotedEvent, 'changeSeq'>): NextEvent {
  return { accountId, at, name, data: JSON.stringify(of) }
}

const columns = ['accountId', 'changeSeq', 'at', 'name', 'data'] as const

/** With the number that the account has now. */
const insertionNext = runs((db, { accountId, at, name, data }: NextEvent) =>
  db
    .insertInto('events')
    .columns(columns)
    .expression(
      db
        .selectFrom('accounts')
        .select(({ val }) => ['accountId', 'changeSeq', val(at).as('at'), val(name).as('name'), val(data).as('data')])
        .where('accountId', '=', accountId),
    ),
)

interface NumberedEvent extends NextEvent {
  /** How many of the statement's events of this account follow. */
  readonly later: number
}

/** Numbers and events in one statement, which SQLite does not know. */
const numberedInsertions = forRows(
  [32, 8, 2, 1],
  apart((db, rows: Some<NumberedEvent>) => {
    const given = rows.map(
      ({ accountId, later, at, name, data }) =>
        sql`(cast(${accountId} as text), cast(${later} as bigint), cast(${at} as bigint), cast(${name} as text), cast(${data} as text))`,
    )
    return db
      .with('noted(accountId, later, at, name, data)', () => sql<NumberedEvent>`(values ${sql.join(given)})`)
      .with('counted', (from) =>
        from
          .selectFrom('noted')
          .select((noted) => ['accountId', noted.fn.countAll<number>().as('count')])
          .groupBy('accountId'),
      )
      .with('numbered', (from) =>
        from
          .updateTable('accounts')
          .from('counted')
          .set((account) => ({ changeSeq: account('accounts.changeSeq', '+', account.ref('counted.count')) }))
          .whereRef('accounts.accountId', '=', 'counted.accountId')
          .returning(['accounts.accountId', 'accounts.changeSeq']),
      )
      .insertInto('events')
      .columns(columns)
      .expression((from) =>
        from
          .selectFrom('noted')
          .innerJoin('numbered', 'numbered.accountId', 'noted.accountId')
          .select((row) => [
            'noted.accountId',
            row('numbered.changeSeq', '-', row.ref('noted.later')).as('changeSeq'),
            'noted.at',
            'noted.name',
            'noted.data',
          ]),
      )
  }),
)

const numbering = changesOne((db, assetId: AssetId, changeSeq: number) =>
  db.updateTable('assets').set({ changeSeq }).where('assetId', '=', assetId),
)

export const changeWrites = {
  /** Takes the account’s next number. Throws if there is no such account. */
  async nextSeq(db: Db, accountId: AccountId): Promise<number> {
    const number = await nextNumber(db, accountId)
    if (number === undefined) throw unknownAccount(accountId)
    return number
  },
  /** Throws if the number is taken. */
  insertEvent(db: Db, event: NotedEvent): Promise<void> {
    return insertion(db, { ...rowOf(event), changeSeq: event.changeSeq })
  },
  /**
   * Inserts events that have the next numbers of their accounts, in their order. Throws if there is no such account.
   */
  async insertNextEvents(db: Db, noted: readonly Omit<NotedEvent, 'changeSeq'>[]): Promise<void> {
    const rows = noted.map(rowOf)
    await Promise.all(db.kind === postgresKind ? insertNumbered(db, rows) : rows.map((row) => insertNext(db, row)))
  },
  /** Sets the number of the asset’s last change. Throws if there is no such asset. */
  async numberAsset(db: Db, assetId: AssetId, changeSeq: number): Promise<void> {
    if (!(await numbering(db, assetId, changeSeq))) throw new Error('An asset changed that does not exist')
  },
  /** Removes at most `max` events from before `before`, oldest first. Answers how many. */
  pruneEvents: changes((db, before: Instant, max: number) =>
    db
      .deleteFrom('events')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('accountId', 'changeSeq'),
          'in',
          selectFrom('events')
            .select(['accountId', 'changeSeq'])
            .where('at', '<', before)
            .orderBy('at')
            .limit(max)
            .$asTuple('accountId', 'changeSeq'),
        ),
      ),
  ),
}

/** The second statement reads what the first one has written, so nothing may run between them. */
async function insertNext(db: Db, row: NextEvent): Promise<void> {
  const [number] = await Promise.all([nextNumber(db, row.accountId), insertionNext(db, row)])
  if (number === undefined) throw unknownAccount(row.accountId)
}

function insertNumbered(db: Db, rows: readonly NextEvent[]): readonly Promise<void>[] {
  return inStatements(numberedInsertions, rows, async (insertion, some) => {
    const numbered = some.map((row, at) => ({
      ...row,
      later: some.filter(({ accountId }, other) => other > at && accountId === row.accountId).length,
    }))
    if ((await insertion(db, someOf(numbered))).changed !== some.length) throw unknownAccount(some[0].accountId)
  })
}

function unknownAccount(accountId: AccountId): Error {
  return new Error(`Something changed for account ${accountId}, which does not exist`)
}
