import type { AccountId, AssetId, Instant } from '@blindkeep/protocol/ids'
import { type Selectable, sql } from 'kysely'
import type { Change, ChangeReads, ChangesAfter, ChangeWrites, NotedEvent } from '../../ports/store.ts'
import { blobOf } from './assetBlobs.ts'
import { assetOf } from './assets.ts'
import { columnsOf } from './columns.ts'
import { type Db, postgresKind } from './db.ts'
import { apart, inStatements, prepared, preparedForRows } from './prepared.ts'
import type { AssetBlobTable, EventTable } from './schema.ts'

const lastNumber = prepared((db, given: { readonly accountId: AccountId }) =>
  db.selectFrom('accounts').select('change_seq').where('account_id', '=', given.accountId),
)

/** Locks the account’s row until the commit, so that numbers become visible in ascending order. */
const nextNumber = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .updateTable('accounts')
    .set((account) => ({ change_seq: account('change_seq', '+', 1) }))
    .where('account_id', '=', given.accountId)
    .returning('change_seq'),
)

const changedAssets = prepared((db, given: ChangesAfter) =>
  db
    .selectFrom('assets')
    .select(columnsOf('assets'))
    .where('account_id', '=', given.accountId)
    .where('change_seq', '>', given.changeSeq)
    .orderBy('change_seq')
    .limit(given.max),
)

/** The blobs of all assets of a page, in no order: the database would have to sort them. */
const blobsOfChanged = prepared(
  (db, given: Pick<ChangesAfter, 'accountId' | 'changeSeq'> & { readonly last: number }) =>
    db
      .selectFrom('assets')
      .innerJoin('asset_blobs', 'asset_blobs.asset_id', 'assets.asset_id')
      .select(columnsOf('asset_blobs'))
      .where('assets.account_id', '=', given.accountId)
      .where('assets.change_seq', '>', given.changeSeq)
      .where('assets.change_seq', '<=', given.last),
)

const events = prepared((db, given: ChangesAfter) =>
  db
    .selectFrom('events')
    .select(columnsOf('events'))
    .where('account_id', '=', given.accountId)
    .where('change_seq', '>', given.changeSeq)
    .orderBy('change_seq')
    .limit(given.max),
)

const insertion = prepared((db, given: Omit<NotedEvent, 'change'> & ChangeText) =>
  db.insertInto('events').values({
    account_id: given.accountId,
    change_seq: given.changeSeq,
    at: given.at,
    name: given.name,
    data: given.data,
  }),
)

interface NextEvent extends ChangeText {
  readonly accountId: AccountId
  readonly at: Instant
}

/** With the number that the account has now. */
const insertionNext = prepared((db, given: NextEvent) =>
  db
    .insertInto('events')
    .columns(['account_id', 'change_seq', 'at', 'name', 'data'])
    .expression(
      db
        .selectFrom('accounts')
        .select(({ val }) => [
          'account_id',
          'change_seq',
          val(given.at).as('at'),
          val(given.name).as('name'),
          val(given.data).as('data'),
        ])
        .where('account_id', '=', given.accountId),
    ),
)

type NotedRow = Pick<Selectable<EventTable>, 'account_id' | 'at' | 'name' | 'data'> & { readonly later: number }

interface NumberedEvent extends NextEvent {
  /** How many of the statement's events of this account follow. */
  readonly later: number
}

/** Numbers and events in one statement, which SQLite does not know. */
const numberedInsertions = [32, 8, 2, 1].map((count) => ({
  count,
  insertion: apart(
    preparedForRows(count, (db, rows: readonly NumberedEvent[]) => {
      const given = rows.map(
        ({ accountId, later, at, name, data }) =>
          sql`(cast(${accountId} as text), cast(${later} as bigint), cast(${at} as bigint), cast(${name} as text), cast(${data} as text))`,
      )
      return db
        .with('noted(account_id, later, at, name, data)', () => sql<NotedRow>`(values ${sql.join(given)})`)
        .with('counted', (from) =>
          from
            .selectFrom('noted')
            .select((noted) => ['account_id', noted.fn.countAll<number>().as('count')])
            .groupBy('account_id'),
        )
        .with('numbered', (from) =>
          from
            .updateTable('accounts')
            .from('counted')
            .set((account) => ({ change_seq: account('accounts.change_seq', '+', account.ref('counted.count')) }))
            .whereRef('accounts.account_id', '=', 'counted.account_id')
            .returning(['accounts.account_id', 'accounts.change_seq']),
        )
        .insertInto('events')
        .columns(['account_id', 'change_seq', 'at', 'name', 'data'])
        .expression((from) =>
          from
            .selectFrom('noted')
            .innerJoin('numbered', 'numbered.account_id', 'noted.account_id')
            .select((row) => [
              'noted.account_id',
              row('numbered.change_seq', '-', row.ref('noted.later')).as('change_seq'),
              'noted.at',
              'noted.name',
              'noted.data',
            ]),
        )
    }),
  ),
}))

const numbering = prepared((db, given: { readonly assetId: AssetId; readonly changeSeq: number }) =>
  db.updateTable('assets').set({ change_seq: given.changeSeq }).where('asset_id', '=', given.assetId),
)

const pruning = prepared((db, given: { readonly before: Instant; readonly max: number }) =>
  db
    .deleteFrom('events')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('account_id', 'change_seq'),
        'in',
        selectFrom('events')
          .select(['account_id', 'change_seq'])
          .where('at', '<', given.before)
          .orderBy('at')
          .limit(given.max)
          .$asTuple('account_id', 'change_seq'),
      ),
    ),
)

export function changeReads(db: Db): ChangeReads {
  return {
    async lastSeq(accountId) {
      return (await lastNumber.first(db, { accountId }))?.change_seq
    },
    async assetsAfter(page) {
      const rows = await changedAssets.all(db, page)
      const last = rows.at(-1)?.change_seq ?? page.changeSeq
      const blobs = rows.length === 0 ? [] : await blobsOfChanged.all(db, { ...page, last })
      const ofAsset = Map.groupBy(blobs, (blob) => blob.asset_id)
      return rows.map((row) => ({
        // The query finds only rows that have a number.
        changeSeq: row.change_seq ?? last,
        asset: assetOf(row),
        blobs: inOrder(ofAsset.get(row.asset_id) ?? []).map(blobOf),
      }))
    },
    async eventsAfter(page) {
      return (await events.all(db, page)).map(eventOf)
    },
  }
}

export function changeWrites(db: Db): ChangeWrites {
  return {
    async nextSeq(accountId) {
      const row = await nextNumber.first(db, { accountId })
      if (row === undefined) throw unknownAccount(accountId)
      return row.change_seq
    },
    async insertNextEvents(noted) {
      const rows = noted.map(({ accountId, at, change }) => ({ accountId, at, ...textOf(change) }))
      const inserting = db.kind === postgresKind ? insertNumbered(db, rows) : rows.map((row) => insertNext(db, row))
      await Promise.all(inserting)
    },
    async insertEvent({ change, ...noted }) {
      await insertion.changed(db, { ...noted, ...textOf(change) })
    },
    async numberAsset(assetId, changeSeq) {
      if ((await numbering.changed(db, { assetId, changeSeq })) === 1) return
      throw new Error('An asset changed that does not exist')
    },
    async pruneEvents(before, max) {
      return pruning.changed(db, { before, max })
    },
  }
}

/** The second statement reads what the first one has written, so nothing may run between them. */
async function insertNext(db: Db, row: NextEvent): Promise<void> {
  const [numbered] = await Promise.all([nextNumber.first(db, row), insertionNext.changed(db, row)])
  if (numbered === undefined) throw unknownAccount(row.accountId)
}

function insertNumbered(db: Db, rows: readonly NextEvent[]): readonly Promise<void>[] {
  const noted = rows.map((row) => ({ ...row, later: 0 }))
  return inStatements(numberedInsertions, noted, async (insertion, some) => {
    if ((await insertion.changed(db, some.map(withLater))) !== some.length) throw unknownAccount(some[0]?.accountId)
  })
}

function withLater(row: NumberedEvent, at: number, rows: readonly NumberedEvent[]): NumberedEvent {
  return { ...row, later: rows.filter(({ accountId }, other) => other > at && accountId === row.accountId).length }
}

function unknownAccount(accountId: AccountId | undefined): Error {
  return new Error(`Something changed for account ${accountId}, which does not exist`)
}

function inOrder(rows: readonly Selectable<AssetBlobTable>[]): readonly Selectable<AssetBlobTable>[] {
  return rows.toSorted((a, b) => a.blob_seq - b.blob_seq)
}

function eventOf(row: Selectable<EventTable>): NotedEvent {
  return { accountId: row.account_id, changeSeq: row.change_seq, at: row.at, change: changeOf(row) }
}

/** A change as a row stores it: its name, and the rest as JSON. */
type ChangeText = Pick<Selectable<EventTable>, 'name' | 'data'>

function textOf({ name, ...of }: Change): ChangeText {
  return { name, data: JSON.stringify(of) }
}

function changeOf({ name, data }: ChangeText): Change {
  return { name, ...JSON.parse(data) }
}
