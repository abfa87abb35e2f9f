import type { AccountId, DropId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import type { Db } from './db.ts'
import { type ObjectStatus, statusColumns, statusOf } from './objectStatus.ts'
import { pagesOf } from './pages.ts'
import {
  all,
  apart,
  changesOne,
  count,
  exists,
  first,
  forList,
  forRows,
  inStatements,
  type Some,
  value,
} from './statements.ts'
import type { Drop } from './tables/drops.ts'
import { columnsOf, newRow, type Tables } from './tables.ts'

/** By a claim an adoption keeps a drop for itself for a while. */
export interface Claim {
  readonly dropId: DropId
  /** A UUID, new for each claim. */
  readonly claimId: string
  /** SHA-256 of the request: an equal request of the same process may take over the claim before the lease ends. */
  readonly requestHash: string
  /** The process. */
  readonly by: string
  readonly at: Instant
  readonly leasedUntil: Instant
}

const own = (db: Kysely<Tables>, accountId: AccountId) => db.selectFrom('drops').where('accountId', '=', accountId)

const list = pagesOf({
  by: { time: 'receivedAt', seq: 'dropSeq' },
  rows: (db, accountId: AccountId) => own(db, accountId).select(columnsOf('drops')),
  entry: (db, accountId: AccountId, dropId: DropId) => own(db, accountId).where('dropId', '=', dropId),
})

const withheld = all((db, accountId: AccountId, from: Instant, to: Instant) =>
  db
    .selectFrom('drops')
    .innerJoin('objects', 'objects.location', 'drops.location')
    .leftJoin('holds', 'holds.ciphertextHash', 'drops.ciphertextHash')
    .select(['drops.dropId', ...statusColumns])
    .where('drops.accountId', '=', accountId)
    .where('drops.receivedAt', '>=', from)
    .where('drops.receivedAt', '<=', to)
    .where((row) =>
      row.or([
        row('objects.state', '!=', 'kept'),
        row('objects.damagedAt', 'is not', null),
        row('objects.suspectedAt', 'is not', null),
        row('holds.ciphertextHash', 'is not', null),
      ]),
    ),
)

export const dropReads = {
  find: first((db, dropId: DropId) => db.selectFrom('drops').select(columnsOf('drops')).where('dropId', '=', dropId)),
  /** The account's drops by `receivedAt` and landing. */
  page: list.page,
  /** Of a pending one. */
  placeOf: list.placeOf,
  /** Of the account's drops of this time: those whose object is not kept, damaged, suspected or on hold. */
  async withheldBetween(
    db: Db,
    accountId: AccountId,
    { from, to }: { readonly from: Instant; readonly to: Instant },
  ): Promise<ReadonlyMap<DropId, ObjectStatus>> {
    return new Map((await withheld(db, accountId, from, to)).map((row) => [row.dropId, statusOf(row)]))
  },
  /** A counter in the account's row: each new session reads it, and counting rows would cost more than its writes. */
  countPending: count((db, accountId: AccountId) =>
    db.selectFrom('accounts').select('pendingDrops').where('accountId', '=', accountId),
  ),
  /** Whether an equal request, of any process, has a claim whose lease is live at `at`. */
  isClaimedFor: exists((db, dropId: DropId, requestHash: string, at: Instant) =>
    db
      .selectFrom('drops')
      .select('dropId')
      .where('dropId', '=', dropId)
      .where('claimHash', '=', requestHash)
      .where('leasedUntil', '>', at),
  ),
}

const pendingStep = forList(
  apart((db, accountIds: Some<AccountId>, step: number) =>
    db
      .updateTable('accounts')
      .set((account) => ({ pendingDrops: account('pendingDrops', '+', step) }))
      .where('accountId', 'in', accountIds),
  ),
)

const insertions = forRows(
  [16, 4, 1],
  apart((db, drops: Some<Drop>) => db.insertInto('drops').values(drops.map((drop) => newRow('drops', drop)))),
)

const settling = value((db, dropId: DropId, claimId: string) =>
  db.deleteFrom('drops').where('dropId', '=', dropId).where('claimId', '=', claimId).returning('accountId'),
)

const removal = all((db, dropId: DropId, accountId: AccountId, at: Instant) =>
  db
    .deleteFrom('drops')
    .where('dropId', '=', dropId)
    .where('accountId', '=', accountId)
    .where(notLeased(at))
    .returning(columnsOf('drops')),
)

const removalOfLink = all((db, opaqueId: OpaqueId, accountId: AccountId, at: Instant, max: number) =>
  db
    .deleteFrom('drops')
    .where('dropSeq', 'in', (drop) =>
      drop
        .selectFrom('drops')
        .select('dropSeq')
        .where('opaqueId', '=', opaqueId)
        .where('accountId', '=', accountId)
        .where(notLeased(at))
        .limit(max),
    )
    .returning(columnsOf('drops')),
)

const removalOfSome = all((db, accountId: AccountId, at: Instant, max: number) =>
  db
    .deleteFrom('drops')
    .where('dropSeq', 'in', (drop) =>
      drop
        .selectFrom('drops')
        .select('dropSeq')
        .where('accountId', '=', accountId)
        .where(notLeased(at))
        .orderBy('receivedAt')
        .orderBy('dropSeq')
        .limit(max),
    )
    .returning(columnsOf('drops')),
)

/** A lease is live before `leasedUntil`, not at it. */
function notLeased(at: Instant): (drop: ExpressionBuilder<Tables, 'drops'>) => Expression<SqlBool> {
  return (drop) => drop.or([drop('leasedUntil', 'is', null), drop('leasedUntil', '<=', at)])
}

/** Subtracts removed rows from the account's counter. */
async function counted(db: Db, accountId: AccountId, removed: readonly Drop[]): Promise<readonly Drop[]> {
  if (removed.length > 0) await pendingStep(db, [accountId], -removed.length)
  return removed
}

export const dropWrites = {
  /** At most 64. */
  async insert(db: Db, ...drops: readonly Drop[]): Promise<void> {
    const ofAccounts = [...Map.groupBy(drops, ({ accountId }) => accountId)]
    const steps = Map.groupBy(ofAccounts, ([, theirs]) => theirs.length)
    await Promise.all([
      ...inStatements(insertions, drops, (insertion, some) => insertion(db, some)),
      ...[...steps].map(([step, accounts]) =>
        pendingStep(
          db,
          accounts.map(([accountId]) => accountId),
          step,
        ),
      ),
    ])
  },
  /**
   * Claims a drop. False, and nothing changed, if another request has a claim whose lease is live at `claim.at`. An
   * equal request of the same process takes the claim over: the request that made it has ended. One conditional
   * statement.
   */
  claim: changesOne((db, claim: Claim) =>
    db
      .updateTable('drops')
      .set({
        claimId: claim.claimId,
        claimHash: claim.requestHash,
        claimedBy: claim.by,
        leasedUntil: claim.leasedUntil,
      })
      .where('dropId', '=', claim.dropId)
      .where((drop) =>
        drop.or([
          notLeased(claim.at)(drop),
          drop.and([drop('claimHash', '=', claim.requestHash), drop('claimedBy', '=', claim.by)]),
        ]),
      ),
  ),
  /** Removes the row. False, and nothing changed, if the claim is not `claimId` any more. */
  async settle(db: Db, dropId: DropId, claimId: string): Promise<boolean> {
    const accountId = await settling(db, dropId, claimId)
    if (accountId === undefined) return false
    await pendingStep(db, [accountId], -1)
    return true
  },
  /** Ends the claim. False, and nothing changed, if the claim is not `claimId`. */
  unclaim: changesOne((db, dropId: DropId, claimId: string) =>
    db
      .updateTable('drops')
      .set({ claimId: null, claimHash: null, leasedUntil: null })
      .where('dropId', '=', dropId)
      .where('claimId', '=', claimId),
  ),
  /** Removes and answers the account's drop; undefined without it, or under an adoption's live lease at `at`. */
  async remove(db: Db, dropId: DropId, accountId: AccountId, at: Instant): Promise<Drop | undefined> {
    const [removed] = await counted(db, accountId, await removal(db, dropId, accountId, at))
    return removed
  },
  /** The same for drops of one link of this account, at most `max`. */
  async removeOfLink(
    db: Db,
    opaqueId: OpaqueId,
    accountId: AccountId,
    at: Instant,
    max: number,
  ): Promise<readonly Drop[]> {
    return counted(db, accountId, await removalOfLink(db, opaqueId, accountId, at, max))
  },
  /** The same for the account's oldest drops, at most `max`. */
  async removeSome(db: Db, accountId: AccountId, at: Instant, max: number): Promise<readonly Drop[]> {
    return counted(db, accountId, await removalOfSome(db, accountId, at, max))
  },
}
