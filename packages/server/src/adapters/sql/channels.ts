import type { AccountId, ChannelId, Instant } from '@blindkeep/protocol/ids'
import { type Selectable, sql } from 'kysely'
import type {
  Change,
  Channel,
  ChannelClaim,
  ChannelPage,
  ChannelReads,
  ChannelWrites,
  FailedAttempt,
  NewChannel,
} from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared, preparedForList, someOf } from './prepared.ts'
import type { ChannelTable } from './schema.ts'

interface Given {
  readonly channelId: ChannelId
}

interface Range {
  readonly after: number
  readonly upTo: number
}

const byId = prepared((db, given: Given) =>
  db.selectFrom('channels').select(columnsOf('channels')).where('channel_id', '=', given.channelId),
)

const ofAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('channels')
    .select(columnsOf('channels'))
    .where('account_id', '=', given.accountId)
    .orderBy('channel_seq'),
)

const newsOfAccounts = preparedForList(
  (db, accounts: readonly [{ accountId: AccountId }, ...{ accountId: AccountId }[]]) =>
    db
      .selectFrom('channels')
      .innerJoin('accounts', 'accounts.account_id', 'channels.account_id')
      .select(columnsOf('channels'))
      .select('accounts.change_seq')
      .where(
        'channels.account_id',
        'in',
        accounts.map(({ accountId }) => accountId),
      )
      .where('channels.state', '=', 'active')
      .where('accounts.suspended_at', 'is', null)
      .where('accounts.deleted_at', 'is', null)
      .whereRef('accounts.change_seq', '>', 'channels.notified_seq'),
)

const withNews = prepared((db, given: ChannelPage) =>
  db
    .selectFrom('channels')
    .innerJoin('accounts', 'accounts.account_id', 'channels.account_id')
    .select(['channels.account_id', 'channels.channel_seq'])
    .where('channels.channel_seq', '>', given.after)
    .where('channels.state', '=', 'active')
    .where('channels.due_at', '<=', given.at)
    .where((channel) =>
      channel.or([channel('channels.leased_until', 'is', null), channel('channels.leased_until', '<=', given.at)]),
    )
    .where('accounts.suspended_at', 'is', null)
    .where('accounts.deleted_at', 'is', null)
    .whereRef('accounts.change_seq', '>', 'channels.notified_seq')
    .orderBy('channels.channel_seq')
    .limit(given.max),
)

const counted = (name: Change['name']) =>
  sql<number>`coalesce(sum(case when name = ${sql.lit(name)} then 1 else 0 end), 0)`

const landed = prepared((db, given: Range & { readonly accountId: AccountId }) =>
  db
    .selectFrom('events')
    .select(({ fn }) => [fn.min('at').as('first_at'), fn.max('at').as('last_at')])
    .select([counted('drop.landed').as('count'), counted('inbox.nearly_full').as('nearly_full')])
    .select(counted('drop.refused').as('refused'))
    .where('account_id', '=', given.accountId)
    .where('change_seq', '>', given.after)
    .where('change_seq', '<=', given.upTo)
    .where('name', 'in', ['drop.landed', 'inbox.nearly_full', 'drop.refused']),
)

const insertion = prepared((db, given: NewChannel) =>
  db
    .insertInto('channels')
    .values({
      channel_id: given.channelId,
      account_id: given.accountId,
      kind: given.kind,
      state: given.state,
      sealed_target: given.sealedTarget,
      created_at: given.createdAt,
      due_at: given.createdAt,
      // What landed before is in the inbox that the owner has open.
      notified_seq: db.selectFrom('accounts').select('change_seq').where('account_id', '=', given.accountId),
    })
    .onConflict((conflict) => conflict.column('channel_id').doNothing()),
)

const removal = prepared((db, given: Given & { readonly accountId: AccountId }) =>
  db.deleteFrom('channels').where('channel_id', '=', given.channelId).where('account_id', '=', given.accountId),
)

const confirmation = prepared((db, given: Given & { readonly from: Uint8Array; readonly to: Uint8Array }) =>
  db
    .updateTable('channels')
    .set({ state: 'active', sealed_target: given.to })
    .where('channel_id', '=', given.channelId)
    .where('state', '=', 'unconfirmed')
    .where('sealed_target', '=', given.from),
)

const resumption = prepared((db, given: Given & { readonly at: Instant }) =>
  db
    .updateTable('channels')
    .set({ state: 'active', attempts: 0, due_at: given.at, failed_at: null, fault: null })
    .where('channel_id', '=', given.channelId)
    .where('state', '=', 'given_up'),
)

const skipping = prepared((db, given: Given & Range & { readonly at: Instant }) =>
  db
    .updateTable('channels')
    .set({ notified_seq: given.upTo, sending_seq: null, claim_id: null, leased_until: null })
    .where('channel_id', '=', given.channelId)
    .where('notified_seq', '=', given.after)
    .where((channel) => channel.or([channel('sending_seq', 'is', null), channel('sending_seq', '=', given.upTo)]))
    .where((channel) => channel.or([channel('leased_until', 'is', null), channel('leased_until', '<=', given.at)])),
)

const claiming = prepared((db, given: Given & ChannelClaim) =>
  db
    .updateTable('channels')
    .set((channel) => ({
      claim_id: given.claimId,
      leased_until: given.until,
      sending_seq: channel.fn.coalesce('sending_seq', channel.val(given.upTo)),
    }))
    .where('channel_id', '=', given.channelId)
    .where('state', '=', 'active')
    .where('notified_seq', '=', given.after)
    .where('due_at', '<=', given.at)
    .where((channel) => channel.or([channel('leased_until', 'is', null), channel('leased_until', '<=', given.at)]))
    .returning('sending_seq'),
)

interface Claimed extends Given {
  readonly claimId: string
  readonly at: Instant
  readonly dueAt: Instant
}

const settling = prepared((db, given: Claimed) =>
  db
    .updateTable('channels')
    .set((channel) => ({
      notified_seq: channel.fn.coalesce('sending_seq', 'notified_seq'),
      sending_seq: null,
      claim_id: null,
      leased_until: null,
      attempts: 0,
      sent_at: given.at,
      failed_at: null,
      fault: null,
      due_at: given.dueAt,
    }))
    .where('channel_id', '=', given.channelId)
    .where('claim_id', '=', given.claimId),
)

const failing = prepared((db, given: Claimed & FailedAttempt) =>
  db
    .updateTable('channels')
    .set((channel) => ({
      state: given.state,
      claim_id: null,
      leased_until: null,
      attempts: channel('attempts', '+', 1),
      failed_at: given.at,
      fault: given.fault,
      due_at: given.dueAt,
    }))
    .where('channel_id', '=', given.channelId)
    .where('claim_id', '=', given.claimId),
)

export function channelReads(db: Db): ChannelReads {
  return {
    async find(channelId) {
      const row = await byId.first(db, { channelId })
      return row && channelOf(row)
    },
    async listOf(accountId) {
      return (await ofAccount.all(db, { accountId })).map(channelOf)
    },
    async newsOf(accountIds) {
      const rows = await newsOfAccounts.all(db, someOf(accountIds.map((accountId) => ({ accountId }))))
      return rows.map((row) => ({ ...channelOf(row), changeSeq: row.change_seq }))
    },
    async withNews(page) {
      const rows = await withNews.all(db, page)
      return rows.map((row) => ({ accountId: row.account_id, place: row.channel_seq }))
    },
    async landings(accountId, range) {
      const row = await landed.first(db, { accountId, ...range })
      // Without rows, the instants of an aggregate are null, which its type does not say.
      if (row === undefined || row.count + row.nearly_full + row.refused === 0) return undefined
      const { count, first_at: firstAt, last_at: lastAt } = row
      return { count, isNearlyFull: row.nearly_full > 0, isRefused: row.refused > 0, firstAt, lastAt }
    },
  }
}

export function channelWrites(db: Db): ChannelWrites {
  return {
    async insert(channel) {
      return (await insertion.changed(db, channel)) === 1
    },
    async remove(channelId, accountId) {
      await removal.changed(db, { channelId, accountId })
    },
    async confirm(channelId, target) {
      return (await confirmation.changed(db, { channelId, ...target })) === 1
    },
    async resume(channelId, at) {
      await resumption.changed(db, { channelId, at })
    },
    async skip(channelId, skipped) {
      await skipping.changed(db, { channelId, ...skipped })
    },
    async claim(channelId, claim) {
      return (await claiming.first(db, { channelId, ...claim }))?.sending_seq ?? undefined
    },
    async settle(channelId, settled) {
      return (await settling.changed(db, { channelId, ...settled })) === 1
    },
    async fail(channelId, failed) {
      return (await failing.changed(db, { channelId, ...failed })) === 1
    },
  }
}

function channelOf(row: Selectable<ChannelTable>): Channel {
  return {
    channelId: row.channel_id,
    accountId: row.account_id,
    kind: row.kind,
    state: row.state,
    sealedTarget: row.sealed_target,
    createdAt: row.created_at,
    notifiedSeq: row.notified_seq,
    sendingSeq: row.sending_seq ?? undefined,
    dueAt: row.due_at,
    leasedUntil: row.leased_until ?? undefined,
    attempts: row.attempts,
    sentAt: row.sent_at ?? undefined,
    failedAt: row.failed_at ?? undefined,
    fault: row.fault ?? undefined,
  }
}
