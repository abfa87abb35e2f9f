import type { AccountId, DeviceId, Instant, PasskeyId, SessionId } from '@blindkeep/protocol/ids'
import { type Selectable, sql } from 'kysely'
import type { ListedSession, RefreshToken, Session, SessionReads, SessionWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { RefreshTokenTable, SessionTable } from './schema.ts'

/** Without `sealed_name`: every request looks for its session, and only a list shows names. */
const columns = [
  'session_id',
  'account_id',
  'device_id',
  'passkey_id',
  'created_at',
  'last_used_at',
  'expires_at',
  'ended_at',
] as const

const byId = prepared((db, given: { readonly sessionId: SessionId }) =>
  db.selectFrom('sessions').select(columns).where('session_id', '=', given.sessionId),
)

const tokenByHash = prepared((db, given: { readonly tokenHash: Uint8Array }) =>
  db.selectFrom('refresh_tokens').select(columnsOf('refresh_tokens')).where('token_hash', '=', given.tokenHash),
)

const liveOfAccount = prepared((db, given: { readonly accountId: AccountId; readonly at: Instant }) =>
  db
    .selectFrom('sessions')
    .select(columnsOf('sessions'))
    .where('account_id', '=', given.accountId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', given.at)
    .orderBy('created_at')
    .orderBy('session_id'),
)

const insertion = prepared((db, given: Session) =>
  db.insertInto('sessions').values({
    session_id: given.sessionId,
    account_id: given.accountId,
    device_id: given.deviceId,
    passkey_id: given.passkeyId,
    created_at: given.createdAt,
    last_used_at: given.lastUsedAt,
    expires_at: given.expiresAt,
    ended_at: given.endedAt,
  }),
)

const tokenInsertion = prepared((db, given: RefreshToken) =>
  db.insertInto('refresh_tokens').values({
    token_hash: given.tokenHash,
    session_id: given.sessionId,
    issued_at: given.issuedAt,
    used_at: given.usedAt,
  }),
)

const removalOfUsedTokens = prepared((db, given: { readonly sessionId: SessionId; readonly kept: number }) =>
  db.deleteFrom('refresh_tokens').where('token_hash', 'in', (from) =>
    from
      .selectFrom('refresh_tokens')
      .select('token_hash')
      .where('session_id', '=', given.sessionId)
      .where('used_at', 'is not', null)
      .orderBy('used_at', 'desc')
      .orderBy('token_hash')
      // SQLite has no offset without a limit.
      .limit(sql.lit(Number.MAX_SAFE_INTEGER))
      .offset(given.kept),
  ),
)

const firstUse = prepared((db, given: { readonly tokenHash: Uint8Array; readonly usedAt: Instant }) =>
  db
    .updateTable('refresh_tokens')
    .set({ used_at: given.usedAt })
    .where('token_hash', '=', given.tokenHash)
    .where('used_at', 'is', null),
)

const prolonging = prepared(
  (db, given: { readonly sessionId: SessionId; readonly lastUsedAt: Instant; readonly expiresAt: Instant }) =>
    db
      .updateTable('sessions')
      .set({ last_used_at: given.lastUsedAt, expires_at: given.expiresAt })
      .where('session_id', '=', given.sessionId),
)

const binding = prepared((db, given: { readonly sessionId: SessionId; readonly deviceId: DeviceId }) =>
  db
    .updateTable('sessions')
    .set({ device_id: given.deviceId })
    .where('session_id', '=', given.sessionId)
    .where('device_id', 'is', null),
)

const naming = prepared((db, given: { readonly sessionId: SessionId; readonly sealedName: Uint8Array | undefined }) =>
  db.updateTable('sessions').set({ sealed_name: given.sealedName }).where('session_id', '=', given.sessionId),
)

/** Its name goes with it. */
const ending = prepared((db, given: { readonly sessionId: SessionId; readonly endedAt: Instant }) =>
  db
    .updateTable('sessions')
    .set({ ended_at: given.endedAt, sealed_name: null })
    .where('session_id', '=', given.sessionId)
    .where('ended_at', 'is', null),
)

const endingOfAccount = prepared((db, given: { readonly accountId: AccountId; readonly endedAt: Instant }) =>
  db
    .updateTable('sessions')
    .set({ ended_at: given.endedAt, sealed_name: null })
    .where('account_id', '=', given.accountId)
    .where('ended_at', 'is', null),
)

const endingOfOthers = prepared(
  (db, given: { readonly accountId: AccountId; readonly endedAt: Instant; readonly except: SessionId }) =>
    db
      .updateTable('sessions')
      .set({ ended_at: given.endedAt, sealed_name: null })
      .where('account_id', '=', given.accountId)
      .where('ended_at', 'is', null)
      .where('session_id', '!=', given.except),
)

interface OfPasskey {
  readonly accountId: AccountId
  readonly passkeyId: PasskeyId
  readonly endedAt: Instant
  readonly except: SessionId
}

const endingOfPasskey = prepared((db, given: OfPasskey) =>
  db
    .updateTable('sessions')
    .set({ ended_at: given.endedAt, sealed_name: null })
    .where('account_id', '=', given.accountId)
    .where('passkey_id', '=', given.passkeyId)
    .where('ended_at', 'is', null)
    .where('session_id', '!=', given.except),
)

// Two statements, because each has an index. The foreign key removes the refresh tokens with their sessions.
const removalOfEnded = prepared((db, given: { readonly before: Instant }) =>
  db.deleteFrom('sessions').where('ended_at', '<', given.before),
)
const removalOfExpired = prepared((db, given: { readonly before: Instant }) =>
  db.deleteFrom('sessions').where('expires_at', '<', given.before),
)

export function sessionReads(db: Db): SessionReads {
  return {
    async find(sessionId) {
      const row = await byId.first(db, { sessionId })
      return row && sessionOf(row)
    },
    async findRefreshToken(tokenHash) {
      const row = await tokenByHash.first(db, { tokenHash })
      return row && refreshTokenOf(row)
    },
    async listLive(accountId, at) {
      return (await liveOfAccount.all(db, { accountId, at })).map(listedSessionOf)
    },
  }
}

export function sessionWrites(db: Db): SessionWrites {
  return {
    async insert(session) {
      await insertion.changed(db, session)
    },
    async insertRefreshToken(token) {
      await tokenInsertion.changed(db, token)
    },
    async pruneRefreshTokens(sessionId, kept) {
      await removalOfUsedTokens.changed(db, { sessionId, kept })
    },
    async useRefreshToken(tokenHash, usedAt) {
      return (await firstUse.changed(db, { tokenHash, usedAt })) === 1
    },
    async prolong(sessionId, lastUsedAt, expiresAt) {
      await prolonging.changed(db, { sessionId, lastUsedAt, expiresAt })
    },
    async bind(sessionId, deviceId) {
      return (await binding.changed(db, { sessionId, deviceId })) === 1
    },
    async setName(sessionId, sealedName) {
      await naming.changed(db, { sessionId, sealedName })
    },
    async end(sessionId, endedAt) {
      await ending.changed(db, { sessionId, endedAt })
    },
    async endAllOf(accountId, endedAt, except) {
      if (except === undefined) await endingOfAccount.changed(db, { accountId, endedAt })
      else await endingOfOthers.changed(db, { accountId, endedAt, except })
    },
    async endAllOfPasskey({ accountId, passkeyId }, endedAt, except) {
      await endingOfPasskey.changed(db, { accountId, passkeyId, endedAt, except })
    },
    async prune(before) {
      await removalOfEnded.changed(db, { before })
      await removalOfExpired.changed(db, { before })
    },
  }
}

function listedSessionOf(row: Selectable<SessionTable>): ListedSession {
  return { ...sessionOf(row), sealedName: row.sealed_name ?? undefined }
}

function sessionOf(row: Pick<Selectable<SessionTable>, (typeof columns)[number]>): Session {
  return {
    sessionId: row.session_id,
    accountId: row.account_id,
    deviceId: row.device_id ?? undefined,
    passkeyId: row.passkey_id ?? undefined,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    endedAt: row.ended_at ?? undefined,
  }
}

function refreshTokenOf(row: Selectable<RefreshTokenTable>): RefreshToken {
  return {
    tokenHash: row.token_hash,
    sessionId: row.session_id,
    issuedAt: row.issued_at,
    usedAt: row.used_at ?? undefined,
  }
}
