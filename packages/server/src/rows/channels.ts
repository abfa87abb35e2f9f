import type { AccountId, ChannelId, Instant } from '@blindkeep/protocol/ids'
import type { DeliveryFault } from '@blindkeep/protocol/schemas/channels'
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { Db } from './db.ts'
import { all, changesOne, first, forList, runs, type Some, value } from './statements.ts'
import type { Change } from './tables/changes.ts'
import type { Channel, NewChannel } from './tables/channels.ts'
import { columnsOf, newRow, type Tables } from './tables.ts'

/** An active channel of an account that is neither suspended nor deleted, and whose changes it has not reported all. */
export interface ChannelNews extends Channel {
  /** The number of the account's last change. */
  readonly changeSeq: number
}

export interface ChannelPage {
  readonly at: Instant
  readonly after: number
  readonly max: number
}

/** What an owner hears of, with the numbers after `after`, up to `upTo`. */
export interface Landings {
  /** Drops that landed. */
  readonly count: number
  /** Whether the inbox was nearly full, and whether a guest's file found no room. */
  readonly isNearlyFull: boolean
  readonly isRefused: boolean
  /** The first and last of all. */
  readonly firstAt: Instant
  readonly lastAt: Instant
}

/** A move of the server, with its two origins. */
export interface NotedMove {
  readonly changeSeq: number
  readonly at: Instant
  readonly from: string
  readonly to: string
}

/** The channels that `ChannelNews` describes. */
const withNews = (db: Kysely<Tables>) =>
  db
    .selectFrom('channels')
    .innerJoin('accounts', 'accounts.accountId', 'channels.accountId')
    .where('accounts.suspendedAt', 'is', null)
    .where('accounts.deletedAt', 'is', null)
    .whereRef('accounts.changeSeq', '>', 'channels.notifiedSeq')

const newsOf = forList((db, accountIds: Some<AccountId>) =>
  withNews(db)
    .select(columnsOf('channels'))
    .select('accounts.changeSeq')
    .where('channels.accountId', 'in', accountIds)
    .where('channels.state', '=', 'active'),
)

const counted = (name: Change['name']) =>
  sql<number>`coalesce(sum(case when name = ${sql.lit(name)} then 1 else 0 end), 0)`

const landed = first((db, accountId: AccountId, { after, upTo }: { readonly after: number; readonly upTo: number }) =>
  db
    .selectFrom('events')
    .select(({ fn }) => [fn.min('at').as('firstAt'), fn.max('at').as('lastAt')])
    .select([counted('drop.landed').as('count'), counted('inbox.nearly_full').as('nearlyFull')])
    .select(counted('drop.refused').as('refused'))
    .where('accountId', '=', accountId)
    .where('changeSeq', '>', after)
    .where('changeSeq', '<=', upTo)
    .where('name', 'in', ['drop.landed', 'inbox.nearly_full', 'drop.refused']),
)

const firstMove = first(
  (db, accountId: AccountId, { after, upTo }: { readonly after: number; readonly upTo: number }) =>
    db
      .selectFrom('events')
      .select(['changeSeq', 'at', 'data'])
      .where('accountId', '=', accountId)
      .where('changeSeq', '>', after)
      .where('changeSeq', '<=', upTo)
      .where('name', '=', 'server.moved')
      .orderBy('changeSeq')
      .limit(1),
)

export const channelReads = {
  find: first((db, channelId: ChannelId) =>
    db.selectFrom('channels').select(columnsOf('channels')).where('channelId', '=', channelId),
  ),
  /** Oldest first. */
  listOf: all((db, accountId: AccountId) =>
    db.selectFrom('channels').select(columnsOf('channels')).where('accountId', '=', accountId).orderBy('channelSeq'),
  ),
  /** Of 1 to 64 accounts, in no order. Changes of any kind count as news. */
  async newsOf(db: Db, accountIds: readonly AccountId[]): Promise<readonly ChannelNews[]> {
    return (await newsOf(db, accountIds)).rows
  },
  /**
   * Accounts of channels that have news and may be tried at `at`: at most `max` channels, in the order of their places,
   * which increase with each channel, from the first one after `after`.
   */
  withNews: all((db, { at, after, max }: ChannelPage) =>
    withNews(db)
      .select(['channels.accountId', 'channels.channelSeq as place'])
      .where('channels.channelSeq', '>', after)
      // Text of the query: with a bound state PostgreSQL would not use the index of active ones.
      .where('channels.state', '=', sql.lit('active'))
      .where('channels.dueAt', '<=', at)
      .where((channel) =>
        channel.or([channel('channels.leasedUntil', 'is', null), channel('channels.leasedUntil', '<=', at)]),
      )
      .orderBy('channels.channelSeq')
      .limit(max),
  ),
  /** Undefined if there is nothing to hear of. */
  async landings(
    db: Db,
    accountId: AccountId,
    range: { readonly after: number; readonly upTo: number },
  ): Promise<Landings | undefined> {
    const row = await landed(db, accountId, range)
    // Without rows, the instants of an aggregate are absent, which its type does not say.
    if (row === undefined || row.count + row.nearlyFull + row.refused === 0) return undefined
    const { count, firstAt, lastAt } = row
    return { count, isNearlyFull: row.nearlyFull > 0, isRefused: row.refused > 0, firstAt, lastAt }
  },
  /** The first move of the server in the same range. */
  async firstMove(
    db: Db,
    accountId: AccountId,
    range: { readonly after: number; readonly upTo: number },
  ): Promise<NotedMove | undefined> {
    const row = await firstMove(db, accountId, range)
    return row && { changeSeq: row.changeSeq, at: row.at, ...JSON.parse(row.data) }
  },
}

/** No attempt is under way. */
const isFree = (channel: ExpressionBuilder<Tables, 'channels'>, at: Instant) =>
  channel.or([channel('leasedUntil', 'is', null), channel('leasedUntil', '<=', at)])

export interface ChannelClaim {
  /** New for each attempt. */
  readonly claimId: string
  readonly after: number
  readonly upTo: number
  readonly at: Instant
  readonly until: Instant
}

export interface FailedAttempt {
  readonly claimId: string
  readonly at: Instant
  readonly fault: DeliveryFault
  /** `given_up`: no more attempts. */
  readonly state: 'active' | 'given_up'
  readonly dueAt: Instant
}

/** All but `insert` are one conditional statement without a lock: each judges the row as it is then. */
export const channelWrites = {
  /** Reports changes after this one: the owner sees earlier ones in the open inbox. False if the id is taken. */
  insert: changesOne((db, channel: NewChannel) =>
    db
      .insertInto('channels')
      .values({
        ...newRow('channels', channel),
        dueAt: channel.createdAt,
        notifiedSeq: db.selectFrom('accounts').select('changeSeq').where('accountId', '=', channel.accountId),
      })
      .onConflict((conflict) => conflict.column('channelId').doNothing()),
  ),
  /** No error if the account has no such channel. */
  remove: runs((db, channelId: ChannelId, accountId: AccountId) =>
    db.deleteFrom('channels').where('channelId', '=', channelId).where('accountId', '=', accountId),
  ),
  /** Makes it active, with another target. False if it was not unconfirmed, or its target is not `from` any more. */
  confirm: changesOne((db, channelId: ChannelId, target: { readonly from: Uint8Array; readonly to: Uint8Array }) =>
    db
      .updateTable('channels')
      .set({ state: 'active', sealedTarget: target.to })
      .where('channelId', '=', channelId)
      .where('state', '=', 'unconfirmed')
      .where('sealedTarget', '=', target.from),
  ),
  /** Makes a channel active again that was given up, and due at once. No effect on any other. */
  resume: runs((db, channelId: ChannelId, at: Instant) =>
    db
      .updateTable('channels')
      .set({ state: 'active', attempts: 0, dueAt: at, failedAt: null, fault: null })
      .where('channelId', '=', channelId)
      .where('state', '=', 'given_up'),
  ),
  /** Nothing is to be reported up to `upTo`. No effect beside an attempt, or after another message failed. */
  skip: runs(
    (
      db,
      channelId: ChannelId,
      { after, upTo, at }: { readonly after: number; readonly upTo: number; readonly at: Instant },
    ) =>
      db
        .updateTable('channels')
        .set({ notifiedSeq: upTo, sendingSeq: null, claimId: null, leasedUntil: null })
        .where('channelId', '=', channelId)
        .where('notifiedSeq', '=', after)
        .where((channel) => channel.or([channel('sendingSeq', 'is', null), channel('sendingSeq', '=', upTo)]))
        .where((channel) => isFree(channel, at)),
  ),
  /**
   * Begins an attempt, which others then leave alone until `until`. Answers the last change that its message reports:
   * `upTo`, or what an earlier attempt began with. Undefined, and nothing changes, if the channel is not active, not
   * due, leased, or has reported something meanwhile.
   */
  claim: value((db, channelId: ChannelId, { claimId, after, upTo, at, until }: ChannelClaim) =>
    db
      .updateTable('channels')
      .set((channel) => ({
        claimId,
        leasedUntil: until,
        sendingSeq: channel.fn.coalesce('sendingSeq', channel.val(upTo)),
      }))
      .where('channelId', '=', channelId)
      .where('state', '=', 'active')
      .where('notifiedSeq', '=', after)
      .where('dueAt', '<=', at)
      .where((channel) => isFree(channel, at))
      .returning('sendingSeq'),
  ),
  /** The claimed message has arrived. False if the claim was taken over. */
  settle: changesOne(
    (
      db,
      channelId: ChannelId,
      { claimId, at, dueAt }: { readonly claimId: string; readonly at: Instant; readonly dueAt: Instant },
    ) =>
      db
        .updateTable('channels')
        .set((channel) => ({
          notifiedSeq: channel.fn.coalesce('sendingSeq', 'notifiedSeq'),
          sendingSeq: null,
          claimId: null,
          leasedUntil: null,
          attempts: 0,
          sentAt: at,
          failedAt: null,
          fault: null,
          dueAt,
        }))
        .where('channelId', '=', channelId)
        .where('claimId', '=', claimId),
  ),
  /** The claimed attempt has failed. False if the claim was taken over. */
  fail: changesOne((db, channelId: ChannelId, { claimId, at, fault, state, dueAt }: FailedAttempt) =>
    db
      .updateTable('channels')
      .set((channel) => ({
        state,
        claimId: null,
        leasedUntil: null,
        attempts: channel('attempts', '+', 1),
        failedAt: at,
        fault,
        dueAt,
      }))
      .where('channelId', '=', channelId)
      .where('claimId', '=', claimId),
  ),
}
