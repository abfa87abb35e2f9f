/** What an operator is shown of all accounts and files. Each statement reads a page, so that none takes long. */
import type { AssetId, Instant } from '@blindkeep/protocol/ids'
import { sql } from 'kysely'
import { QUOTA } from './accounts.ts'
import type { Db } from './db.ts'
import { all, count, value } from './statements.ts'

/** A kept object, with its place in the order of their arrival. */
export interface ArrivedObject {
  readonly since: Instant
  readonly location: string
  readonly size: number
}

const arrived = all((db, { since, location }: Pick<ArrivedObject, 'since' | 'location'>, max: number) =>
  db
    .selectFrom('objects')
    .select(['since', 'location', 'size'])
    .where('state', '=', 'kept')
    .where(({ eb, refTuple, tuple }) => eb(refTuple('since', 'location'), '>', tuple(since, location)))
    .orderBy('since')
    .orderBy('location')
    .limit(max),
)

// Both conditions of the index `asset_blobs_one_per_role`, as its text has them, let SQLite use it alone.
const originals = sql<boolean>`role <> 'derivative' and pending_after is null and role = 'original'`

/** The id that is `skipped` files after `after`. */
const assetAfter = value((db, after: string, skipped: number) =>
  db
    .selectFrom('assetBlobs')
    .select('assetId')
    .where(originals)
    .where('assetId', '>', sql<AssetId>`${after}`)
    .orderBy('assetId')
    .limit(1)
    .offset(skipped),
)

const countAfter = count((db, after: string) =>
  db
    .selectFrom('assetBlobs')
    .select((blob) => blob.fn.countAll<number>().as('originals'))
    .where(originals)
    .where('assetId', '>', sql<AssetId>`${after}`),
)

export const statusReads = {
  /**
   * At most `max` accounts in the order of their e-mails, from the first one after `afterEmail`, with their live links
   * at `at` and the beginning of their newest session. Deleted ones are among them, so that no page reads many rows.
   */
  accounts: all((db, afterEmail: string, at: Instant, max: number) =>
    db
      .selectFrom('accounts')
      .select(['accountId', 'email', 'createdAt', 'suspendedAt', 'deletedAt', 'pendingDrops', ...QUOTA])
      .select((account) => [
        account
          .selectFrom('sessions')
          .select(({ fn }) => fn.max('sessions.createdAt').as('newest'))
          .whereRef('sessions.accountId', '=', 'accounts.accountId')
          .as('lastSignInAt'),
        account
          .selectFrom('links')
          .select(({ fn }) => fn.countAll<number>().as('live'))
          .whereRef('links.accountId', '=', 'accounts.accountId')
          .where('links.revokedAt', 'is', null)
          .where('links.spentAt', 'is', null)
          .where((link) => link.or([link('links.expiresAt', 'is', null), link('links.expiresAt', '>', at)]))
          .as('liveLinks'),
      ])
      .where('email', '>', afterEmail)
      .orderBy('email')
      .limit(max),
  ),
  /** At most `max` kept objects in the order in which they became so, from the first one after a place. */
  arrived,
  /** How many of the files in albums come after the asset `after`, up to `max`; the last of them if there are more. */
  async originals(db: Db, after: string, max: number): Promise<{ readonly count: number; readonly next?: string }> {
    const next = await assetAfter(db, after, max - 1)
    return next === undefined ? { count: await countAfter(db, after) } : { count: max, next }
  },
  /** At most `max` channels in the order in which they were added, from the first one after `after`. */
  channels: all((db, after: number, max: number) =>
    db
      .selectFrom('channels')
      .select(['channelSeq', 'accountId', 'state', 'attempts'])
      .where('channelSeq', '>', after)
      .orderBy('channelSeq')
      .limit(max),
  ),
}
