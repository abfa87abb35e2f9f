import type { AccountId, DeviceId, Instant, PasskeyId, SessionId } from '@blindkeep/protocol/ids'
import { type Kysely, sql } from 'kysely'
import type { Db } from './db.ts'
import { all, changesOne, first, inserts, runs } from './statements.ts'
import type { Account } from './tables/accounts.ts'
import type { Session } from './tables/sessions.ts'
import { columnsOf, type Tables } from './tables.ts'

export interface SessionWithAccount {
  readonly account: Account
  readonly session: Pick<Session, 'endedAt' | 'expiresAt'>
}

const withAccount = first((db, sessionId: SessionId) =>
  db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.accountId', 'sessions.accountId')
    .select(columnsOf('accounts'))
    .select(['sessions.endedAt as sessionEndedAt', 'sessions.expiresAt as sessionExpiresAt'])
    .where('sessionId', '=', sessionId),
)

export const sessionReads = {
  find: first((db, sessionId: SessionId) =>
    db.selectFrom('sessions').select(columnsOf('sessions')).where('sessionId', '=', sessionId),
  ),
  /** Both in one statement, because each request of an owner asks for them. */
  async findWithAccount(db: Db, sessionId: SessionId): Promise<SessionWithAccount | undefined> {
    const row = await withAccount(db, sessionId)
    if (row === undefined) return undefined
    const { sessionEndedAt, sessionExpiresAt, ...account } = row
    return { account, session: { endedAt: sessionEndedAt, expiresAt: sessionExpiresAt } }
  },
  findRefreshToken: first((db, tokenHash: Uint8Array) =>
    db.selectFrom('refreshTokens').select(columnsOf('refreshTokens')).where('tokenHash', '=', tokenHash),
  ),
  /** Sessions of an account that have neither ended nor expired at `at`, oldest first, with their names. */
  listLive: all((db, accountId: AccountId, at: Instant) =>
    db
      .selectFrom('sessions')
      .select(columnsOf('sessions'))
      .select('sealedName')
      .where('accountId', '=', accountId)
      .where('endedAt', 'is', null)
      .where('expiresAt', '>', at)
      .orderBy('createdAt')
      .orderBy('sessionId'),
  ),
}

/** Its name goes with it. */
const ending = (db: Kysely<Tables>, endedAt: Instant) =>
  db.updateTable('sessions').set({ endedAt, sealedName: null }).where('endedAt', 'is', null)

const endingOfAccount = runs((db, accountId: AccountId, endedAt: Instant) =>
  ending(db, endedAt).where('accountId', '=', accountId),
)

const endingOfOthers = runs((db, accountId: AccountId, endedAt: Instant, except: SessionId) =>
  ending(db, endedAt).where('accountId', '=', accountId).where('sessionId', '!=', except),
)

// Two statements, because each has an index. The foreign key removes the refresh tokens with their sessions.
const removalOfEnded = runs((db, before: Instant) => db.deleteFrom('sessions').where('endedAt', '<', before))
const removalOfExpired = runs((db, before: Instant) => db.deleteFrom('sessions').where('expiresAt', '<', before))

export const sessionWrites = {
  insert: inserts('sessions'),
  insertRefreshToken: inserts('refreshTokens'),
  /** Removes the used tokens of a session, but for the `kept` that were used last. */
  pruneRefreshTokens: runs((db, sessionId: SessionId, kept: number) =>
    db.deleteFrom('refreshTokens').where('tokenHash', 'in', (from) =>
      from
        .selectFrom('refreshTokens')
        .select('tokenHash')
        .where('sessionId', '=', sessionId)
        .where('usedAt', 'is not', null)
        .orderBy('usedAt', 'desc')
        .orderBy('tokenHash')
        // SQLite has no offset without a limit.
        .limit(sql.lit(Number.MAX_SAFE_INTEGER))
        .offset(kept),
    ),
  ),
  /** False if the token was used before. One conditional statement. */
  useRefreshToken: changesOne((db, tokenHash: Uint8Array, usedAt: Instant) =>
    db.updateTable('refreshTokens').set({ usedAt }).where('tokenHash', '=', tokenHash).where('usedAt', 'is', null),
  ),
  prolong: runs((db, sessionId: SessionId, lastUsedAt: Instant, expiresAt: Instant) =>
    db.updateTable('sessions').set({ lastUsedAt, expiresAt }).where('sessionId', '=', sessionId),
  ),
  /** False if the session names a device already. One conditional statement. */
  bind: changesOne((db, sessionId: SessionId, deviceId: DeviceId) =>
    db.updateTable('sessions').set({ deviceId }).where('sessionId', '=', sessionId).where('deviceId', 'is', null),
  ),
  /** Undefined removes the name. */
  setName: runs((db, sessionId: SessionId, sealedName: Uint8Array | undefined) =>
    db.updateTable('sessions').set({ sealedName }).where('sessionId', '=', sessionId),
  ),
  /** Its name is removed. */
  end: runs((db, sessionId: SessionId, endedAt: Instant) => ending(db, endedAt).where('sessionId', '=', sessionId)),
  /** Ends all sessions of an account, except `except`. */
  endAllOf(db: Db, accountId: AccountId, endedAt: Instant, except?: SessionId): Promise<void> {
    return except === undefined
      ? endingOfAccount(db, accountId, endedAt)
      : endingOfOthers(db, accountId, endedAt, except)
  },
  /** Ends the sessions of an account that a passkey opened, except `except`. */
  endAllOfPasskey: runs(
    (
      db,
      { accountId, passkeyId }: { readonly accountId: AccountId; readonly passkeyId: PasskeyId },
      endedAt: Instant,
      except: SessionId,
    ) =>
      ending(db, endedAt)
        .where('accountId', '=', accountId)
        .where('passkeyId', '=', passkeyId)
        .where('sessionId', '!=', except),
  ),
  /** Removes sessions, with their refresh tokens, that ended or expired before `before`. */
  async prune(db: Db, before: Instant): Promise<void> {
    await removalOfEnded(db, before)
    await removalOfExpired(db, before)
  },
}
