import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import { sql } from 'kysely'
import { changesOne, first, inserts, runs } from './statements.ts'
import { columnsOf } from './tables.ts'

export const challengeReads = {
  /** Also finds a consumed or expired challenge, until it is pruned. */
  find: first((db, tokenHash: string) =>
    db.selectFrom('challenges').select(columnsOf('challenges')).where('tokenHash', '=', tokenHash),
  ),
}

const removesOlder = (recovery: 'is' | 'is not') =>
  runs((db, accountId: AccountId, keep: number) =>
    db
      .deleteFrom('challenges')
      .where('tokenHash', 'in', (challenge) =>
        challenge
          .selectFrom('challenges')
          .select('tokenHash')
          .where('accountId', '=', accountId)
          .where('recovery', recovery, null)
          .orderBy('createdAt', 'desc')
          .limit(sql.lit(Number.MAX_SAFE_INTEGER))
          .offset(keep),
      ),
  )

export const challengeWrites = {
  insert: inserts('challenges'),
  /**
   * Counts one attempt. False, and nothing changed, if the challenge was consumed, has expired at `at` or has had
   * `attemptsMax` attempts. One conditional statement.
   */
  countAttempt: changesOne(
    (db, tokenHash: string, { at, attemptsMax }: { readonly at: Instant; readonly attemptsMax: number }) =>
      db
        .updateTable('challenges')
        .set((challenge) => ({ attempts: challenge('attempts', '+', 1) }))
        .where('tokenHash', '=', tokenHash)
        .where('usedAt', 'is', null)
        .where('expiresAt', '>', at)
        .where('attempts', '<', attemptsMax),
  ),
  /** Works once. False if consumed before, expired at `at` or unknown. One conditional statement. */
  consume: changesOne((db, tokenHash: string, at: Instant) =>
    db
      .updateTable('challenges')
      .set({ usedAt: at })
      .where('tokenHash', '=', tokenHash)
      .where('usedAt', 'is', null)
      .where('expiresAt', '>', at),
  ),
  /** Removes all challenges of an account, because their first step no longer proves anything. */
  removeOf: runs((db, accountId: AccountId) => db.deleteFrom('challenges').where('accountId', '=', accountId)),
  /** Removes all of an account for a sign-in but the `keep` newest. */
  removeOlderSignInsOf: removesOlder('is'),
  /** The same of those for a recovery. */
  removeOlderRecoveriesOf: removesOlder('is not'),
  /** Removes at most `max` that have expired at `at`. */
  prune: runs((db, at: Instant, max: number) =>
    db
      .deleteFrom('challenges')
      .where('tokenHash', 'in', (challenge) =>
        challenge
          .selectFrom('challenges')
          .select('tokenHash')
          .where('expiresAt', '<=', at)
          .orderBy('expiresAt')
          .limit(max),
      ),
  ),
}
