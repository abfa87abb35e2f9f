import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { Selectable } from 'kysely'
import type { Challenge, ChallengeReads, ChallengeWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { ChallengeTable } from './schema.ts'

const byHash = prepared((db, given: { readonly tokenHash: string }) =>
  db.selectFrom('challenges').select(columnsOf('challenges')).where('token_hash', '=', given.tokenHash),
)

const insertion = prepared((db, given: Challenge) =>
  db.insertInto('challenges').values({
    token_hash: given.tokenHash,
    account_id: given.accountId,
    device_id: given.deviceId,
    recovery: given.recovery,
    created_at: given.createdAt,
    expires_at: given.expiresAt,
  }),
)

const countingAttempt = prepared(
  (db, given: { readonly tokenHash: string; readonly at: Instant; readonly attemptsMax: number }) =>
    db
      .updateTable('challenges')
      .set((challenge) => ({ attempts: challenge('attempts', '+', 1) }))
      .where('token_hash', '=', given.tokenHash)
      .where('used_at', 'is', null)
      .where('expires_at', '>', given.at)
      .where('attempts', '<', given.attemptsMax),
)

const consuming = prepared((db, given: { readonly tokenHash: string; readonly at: Instant }) =>
  db
    .updateTable('challenges')
    .set({ used_at: given.at })
    .where('token_hash', '=', given.tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', given.at),
)

const removalOfAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db.deleteFrom('challenges').where('account_id', '=', given.accountId),
)

const removalOfExpired = prepared((db, given: { readonly at: Instant; readonly max: number }) =>
  db
    .deleteFrom('challenges')
    .where('token_hash', 'in', (challenge) =>
      challenge
        .selectFrom('challenges')
        .select('token_hash')
        .where('expires_at', '<=', given.at)
        .orderBy('expires_at')
        .limit(given.max),
    ),
)

export function challengeReads(db: Db): ChallengeReads {
  return {
    async find(tokenHash) {
      const row = await byHash.first(db, { tokenHash })
      return row && challengeOf(row)
    },
  }
}

export function challengeWrites(db: Db): ChallengeWrites {
  return {
    async insert(challenge) {
      await insertion.changed(db, challenge)
    },
    async countAttempt(tokenHash, limits) {
      return (await countingAttempt.changed(db, { tokenHash, ...limits })) === 1
    },
    async consume(tokenHash, at) {
      return (await consuming.changed(db, { tokenHash, at })) === 1
    },
    async removeOf(accountId) {
      await removalOfAccount.changed(db, { accountId })
    },
    async prune(at, max) {
      await removalOfExpired.changed(db, { at, max })
    },
  }
}

function challengeOf(row: Selectable<ChallengeTable>): Challenge {
  return {
    tokenHash: row.token_hash,
    accountId: row.account_id,
    deviceId: row.device_id ?? undefined,
    recovery: row.recovery ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
