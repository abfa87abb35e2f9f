/** What a move of the server to another address ends, and who has to hear of it. No node runs meanwhile. */
import type { Instant } from '@blindkeep/protocol/ids'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from './db.ts'
import { first, runs, values } from './statements.ts'

/** What a move concerns. Deleted accounts do not count. */
export interface MoveConcerns {
  readonly accounts: number
  /** Accounts with at least one. */
  readonly withPasskeys: number
  /** Neither revoked, expired nor spent. */
  readonly links: number
  /** Neither ended nor expired. */
  readonly shares: number
  /** Of guests, open. */
  readonly uploads: number
  /** Browsers that are notified. */
  readonly pushChannels: number
}

const counted = (rows: RawBuilder<unknown>) => sql<number>`(select count(*) ${rows})`

const concerns = first((db, at: Instant) =>
  db.selectNoFrom([
    counted(sql`from accounts where deleted_at is null`).as('accounts'),
    counted(sql`from (select distinct account_id from passkeys) as owners`).as('withPasskeys'),
    counted(
      sql`from links join accounts on accounts.account_id = links.account_id
        where links.revoked_at is null and links.spent_at is null and accounts.deleted_at is null
        and (links.expires_at is null or links.expires_at > ${at})`,
    ).as('links'),
    counted(
      sql`from shares join accounts on accounts.account_id = shares.account_id
        where shares.ended_at is null and accounts.deleted_at is null
        and (shares.expires_at is null or shares.expires_at > ${at})`,
    ).as('shares'),
    counted(sql`from uploads where state = 'open' and asset_id is null`).as('uploads'),
    counted(sql`from channels where kind = 'push'`).as('pushChannels'),
  ]),
)

export const movingReads = {
  async concerns(db: Db, at: Instant): Promise<MoveConcerns> {
    const row = await concerns(db, at)
    if (row === undefined) throw new Error('a count gave no row')
    return row
  },
  /** The accounts, each once, that have an active channel that outlives the move. */
  accountsToTell: values((db) =>
    db
      .selectFrom('channels')
      .innerJoin('accounts', 'accounts.accountId', 'channels.accountId')
      .select('channels.accountId')
      .distinct()
      .where('channels.state', '=', sql.lit('active'))
      .where('channels.kind', '!=', 'push')
      .where('accounts.deletedAt', 'is', null)
      .orderBy('channels.accountId'),
  ),
}

export const movingWrites = {
  /** Ends the sessions of all accounts. Their names are removed. */
  endSessions: runs((db, endedAt: Instant) =>
    db.updateTable('sessions').set({ endedAt, sealedName: null }).where('endedAt', 'is', null),
  ),
  removeChallenges: runs((db) => db.deleteFrom('challenges')),
  removePasskeys: runs((db) => db.deleteFrom('passkeys')),
  /** Of the kind push: browsers subscribed at the old address. */
  removePushChannels: runs((db) => db.deleteFrom('channels').where('kind', '=', 'push')),
}
