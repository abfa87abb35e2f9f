import type { AccountId, DropId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely'
import type { Claim, Drop, DropReads, DropWrites, InboxPlace } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { statusColumns, statusOf } from './objectStatus.ts'
import { apart, inStatements, prepared, preparedForList, preparedForRows, type Some, someOf } from './prepared.ts'
import type { DropTable, Schema } from './schema.ts'

const byId = prepared((db, given: { readonly dropId: DropId }) =>
  db.selectFrom('drops').select(columnsOf('drops')).where('drop_id', '=', given.dropId),
)

const ofAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('drops')
    .select(columnsOf('drops'))
    .where('account_id', '=', given.accountId)
    .orderBy('received_at')
    .orderBy('drop_seq'),
)

interface PageOf {
  readonly accountId: AccountId
  readonly max: number
}

const pagesBy = (direction: 'asc' | 'desc') => ({
  first: prepared((db, given: PageOf) =>
    db
      .selectFrom('drops')
      .select(columnsOf('drops'))
      .where('account_id', '=', given.accountId)
      .orderBy('received_at', direction)
      .orderBy('drop_seq', direction)
      .limit(given.max),
  ),
  next: prepared((db, given: PageOf & InboxPlace) =>
    db
      .selectFrom('drops')
      .select(columnsOf('drops'))
      .where('account_id', '=', given.accountId)
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('received_at', 'drop_seq'),
          direction === 'asc' ? '>' : '<',
          tuple(given.receivedAt, given.dropSeq),
        ),
      )
      .orderBy('received_at', direction)
      .orderBy('drop_seq', direction)
      .limit(given.max),
  ),
})

const pages = { oldest: pagesBy('asc'), newest: pagesBy('desc') }

const withheld = prepared(
  (db, given: { readonly accountId: AccountId; readonly from: Instant; readonly to: Instant }) =>
    db
      .selectFrom('drops')
      .innerJoin('objects', 'objects.location', 'drops.location')
      .leftJoin('holds', 'holds.ciphertext_hash', 'drops.ciphertext_hash')
      .select(['drops.drop_id', ...statusColumns])
      .where('drops.account_id', '=', given.accountId)
      .where('drops.received_at', '>=', given.from)
      .where('drops.received_at', '<=', given.to)
      .where((row) =>
        row.or([
          row('objects.state', '!=', 'kept'),
          row('objects.damaged_at', 'is not', null),
          row('objects.suspected_at', 'is not', null),
          row('holds.ciphertext_hash', 'is not', null),
        ]),
      ),
)

/** A counter in the account's row, because each new session reads it: counting thousands of rows would cost more than all writes of the session. */
const pendingCount = prepared((db, given: { readonly accountId: AccountId }) =>
  db.selectFrom('accounts').select('pending_drops').where('account_id', '=', given.accountId),
)

/** All accounts step by as many as the first. */
const pendingStep = apart(
  preparedForList((db, rows: Some<{ readonly accountId: AccountId; readonly step: number }>) =>
    db
      .updateTable('accounts')
      .set((account) => ({ pending_drops: account('pending_drops', '+', rows[0].step) }))
      .where(
        'account_id',
        'in',
        rows.map(({ accountId }) => accountId),
      ),
  ),
)

const insertions = [16, 4, 1].map((count) => ({
  count,
  insertion: apart(
    preparedForRows(count, (db, rows: readonly Drop[]) =>
      db.insertInto('drops').values(
        rows.map((given) => ({
          drop_id: given.dropId,
          account_id: given.accountId,
          opaque_id: given.opaqueId,
          upload_id: given.uploadId,
          ciphertext_hash: given.ciphertextHash,
          size: given.size,
          content_type: given.contentType,
          kem_ct: given.kemCt,
          suggested_filename: given.suggestedFilename,
          location: given.location,
          received_at: given.receivedAt,
          leased_until: given.leasedUntil,
        })),
      ),
    ),
  ),
}))

/** An equal request of the same process takes the claim over: the request that made it has ended. */
const claiming = prepared((db, given: Claim) =>
  db
    .updateTable('drops')
    .set({
      claim_id: given.claimId,
      claim_hash: given.requestHash,
      claimed_by: given.by,
      leased_until: given.leasedUntil,
    })
    .where('drop_id', '=', given.dropId)
    .where((drop) =>
      drop.or([
        notLeased(given.at)(drop),
        drop.and([drop('claim_hash', '=', given.requestHash), drop('claimed_by', '=', given.by)]),
      ]),
    ),
)

const claimedFor = prepared(
  (db, given: { readonly dropId: DropId; readonly requestHash: string; readonly at: Instant }) =>
    db
      .selectFrom('drops')
      .select('drop_id')
      .where('drop_id', '=', given.dropId)
      .where('claim_hash', '=', given.requestHash)
      .where('leased_until', '>', given.at),
)

interface Held {
  readonly dropId: DropId
  readonly claimId: string
}

const settling = prepared((db, given: Held) =>
  db
    .deleteFrom('drops')
    .where('drop_id', '=', given.dropId)
    .where('claim_id', '=', given.claimId)
    .returning('account_id'),
)

const unclaiming = prepared((db, given: Held) =>
  db
    .updateTable('drops')
    .set({ claim_id: null, claim_hash: null, leased_until: null })
    .where('drop_id', '=', given.dropId)
    .where('claim_id', '=', given.claimId),
)

const removal = prepared(
  (db, given: { readonly dropId: DropId; readonly accountId: AccountId; readonly at: Instant }) =>
    db
      .deleteFrom('drops')
      .where('drop_id', '=', given.dropId)
      .where('account_id', '=', given.accountId)
      .where(notLeased(given.at))
      .returning(columnsOf('drops')),
)

interface SomeOfLink {
  readonly opaqueId: OpaqueId
  readonly accountId: AccountId
  readonly at: Instant
  readonly max: number
}

const removalOfLink = prepared((db, given: SomeOfLink) =>
  db
    .deleteFrom('drops')
    .where('drop_seq', 'in', (drop) =>
      drop
        .selectFrom('drops')
        .select('drop_seq')
        .where('opaque_id', '=', given.opaqueId)
        .where('account_id', '=', given.accountId)
        .where(notLeased(given.at))
        .limit(given.max),
    )
    .returning(columnsOf('drops')),
)

const removalOfSome = prepared(
  (db, given: { readonly accountId: AccountId; readonly at: Instant; readonly max: number }) =>
    db
      .deleteFrom('drops')
      .where('drop_seq', 'in', (drop) =>
        drop
          .selectFrom('drops')
          .select('drop_seq')
          .where('account_id', '=', given.accountId)
          .where(notLeased(given.at))
          .orderBy('received_at')
          .orderBy('drop_seq')
          .limit(given.max),
      )
      .returning(columnsOf('drops')),
)

/** A lease is live before `leased_until`, not at it. */
function notLeased(at: Instant): (drop: ExpressionBuilder<Schema, 'drops'>) => Expression<SqlBool> {
  return (drop) => drop.or([drop('leased_until', 'is', null), drop('leased_until', '<=', at)])
}

export function dropReads(db: Db): DropReads {
  return {
    async find(dropId) {
      const row = await byId.first(db, { dropId })
      return row && dropOf(row)
    },
    async pendingOf(accountId) {
      return (await ofAccount.all(db, { accountId })).map(dropOf)
    },
    async pendingPage(accountId, { after, max, order }) {
      const { first, next } = pages[order]
      const asked = { accountId, max: max + 1 }
      const found = await (after === undefined ? first.all(db, asked) : next.all(db, { ...asked, ...after }))
      const rows = found.slice(0, max)
      const last = found.length > max ? rows.at(-1) : undefined
      return { drops: rows.map(dropOf), next: last && { receivedAt: last.received_at, dropSeq: last.drop_seq } }
    },
    async placeOf(accountId, dropId) {
      const row = await byId.first(db, { dropId })
      return row?.account_id === accountId ? { receivedAt: row.received_at, dropSeq: row.drop_seq } : undefined
    },
    async withheldBetween(accountId, { from, to }) {
      const rows = await withheld.all(db, { accountId, from, to })
      return new Map(rows.map((row) => [row.drop_id, statusOf(row)]))
    },
    async isClaimedFor(dropId, requestHash, at) {
      return (await claimedFor.first(db, { dropId, requestHash, at })) !== undefined
    },
    async countPending(accountId) {
      return (await pendingCount.first(db, { accountId }))?.pending_drops ?? 0
    },
  }
}

export function dropWrites(db: Db): DropWrites {
  /** Subtracts removed rows from the account's counter. */
  async function counted(accountId: AccountId, removed: readonly Selectable<DropTable>[]): Promise<readonly Drop[]> {
    if (removed.length > 0) await pendingStep.changed(db, [{ accountId, step: -removed.length }])
    return removed.map(dropOf)
  }

  return {
    async insert(...drops) {
      const ofAccounts = Map.groupBy(drops, ({ accountId }) => accountId)
      const steps = [...ofAccounts].map(([accountId, theirs]) => ({ accountId, step: theirs.length }))
      await Promise.all([
        ...inStatements(insertions, drops, (insertion, some) => insertion.changed(db, some)),
        ...[...Map.groupBy(steps, ({ step }) => step).values()].map((same) => pendingStep.changed(db, someOf(same))),
      ])
    },
    async claim(claim) {
      return (await claiming.changed(db, claim)) === 1
    },
    async settle(dropId, claimId) {
      const row = await settling.first(db, { dropId, claimId })
      if (row === undefined) return false
      await pendingStep.changed(db, [{ accountId: row.account_id, step: -1 }])
      return true
    },
    async unclaim(dropId, claimId) {
      return (await unclaiming.changed(db, { dropId, claimId })) === 1
    },
    async remove(dropId, accountId, at) {
      const [removed] = await counted(accountId, await removal.all(db, { dropId, accountId, at }))
      return removed
    },
    async removeOfLink(opaqueId, accountId, at, max) {
      return counted(accountId, await removalOfLink.all(db, { opaqueId, accountId, at, max }))
    },
    async removeSome(accountId, at, max) {
      return counted(accountId, await removalOfSome.all(db, { accountId, at, max }))
    },
  }
}

function dropOf(row: Selectable<DropTable>): Drop {
  return {
    dropId: row.drop_id,
    accountId: row.account_id,
    opaqueId: row.opaque_id,
    uploadId: row.upload_id,
    ciphertextHash: row.ciphertext_hash,
    size: row.size,
    contentType: row.content_type,
    kemCt: row.kem_ct,
    suggestedFilename: row.suggested_filename ?? undefined,
    location: row.location,
    receivedAt: row.received_at,
    leasedUntil: row.leased_until ?? undefined,
  }
}
