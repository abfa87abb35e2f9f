import {
  type AccountId,
  addSeconds,
  type DeviceId,
  type Instant,
  instantOf,
  type PasskeyId,
  parseSessionId,
  type SessionId,
} from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import {
  type Account,
  accountLock,
  type ListedSession,
  type ReadTx,
  type Store,
  type WriteTx,
} from '../../ports/store.ts'
import { requireUnmoved } from '../discovery/serverId.ts'
import type { SigningKey } from '../discovery/signingKey.ts'
import { whileUnchanged } from '../ground/cache.ts'
import { isLive } from '../ground/liveSession.ts'
import { newId } from '../ground/newId.ts'
import type { Refuses } from '../ground/refusals.ts'
import { sha256 } from '../ground/sha256.ts'
import { createRefresh } from './refreshTokens.ts'
import { createBindSession } from './sessionDevice.ts'
import { createNameSession } from './sessionName.ts'
import { createTokenPairs, type TokenPair, type TokenSettings } from './tokenPairs.ts'

export type { TokenPair } from './tokenPairs.ts'

/** Sign-ins of an account. Each session has short access tokens, and a chain of single-use refresh tokens. */
export interface SessionSettings extends TokenSettings {
  readonly refreshTokenSeconds: number
}

/** The authenticated caller of a request. */
export interface Caller {
  readonly account: Account
  readonly sessionId: SessionId
  /** As the request presented it. */
  readonly accessToken: string
  /** Of the access token. */
  readonly expiresAt: Instant
}

export interface NewSession {
  insert(tx: WriteTx): Promise<void>
  pair(): Promise<TokenPair>
}

/** A further session ends the one that was unused for longest. */
export const MAX_SESSIONS = 100
const REFRESH_SECRET_BYTES = 32

interface SessionPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly tokens: Pick<SigningKey, 'sign' | 'verify' | 'verifyNow' | 'seenBy' | 'known'>
  readonly serverSecret: Uint8Array
}

export type Sessions = ReturnType<typeof createSessions>

export function createSessions(ports: SessionPorts, settings: SessionSettings) {
  const { store, clock, random, tokens } = ports
  const tokenPairs = createTokenPairs(ports, settings)
  const ownerOf = whileUnchanged(store, (sessionId: SessionId) => store.read((tx) => readOwner(tx, sessionId, tokens)))

  /**
   * A session that begins in a transaction of the caller, which has judged the device there (`judgeNamedDevice`), and
   * the passkey, if one opens it. `pair` is valid once the transaction with `insert` has committed.
   */
  function begin(accountId: AccountId, deviceId: DeviceId | undefined, passkeyId?: PasskeyId): NewSession {
    const now = clock.now()
    const sessionId = newId(random, parseSessionId)
    const expiresAt = addSeconds(now, settings.refreshTokenSeconds)
    const times = { createdAt: now, lastUsedAt: now, expiresAt, endedAt: undefined }
    const session = { sessionId, accountId, deviceId, passkeyId, ...times }
    const refreshToken = tokenPairs.refreshTokenOf(random.bytes(REFRESH_SECRET_BYTES), sessionId)
    return {
      async insert(tx) {
        await Promise.all([requireUnmoved(tx, settings.serverId), endSurplus(tx, accountId, now)])
        await tx.sessions.insert(session)
        const tokenHash = sha256(refreshToken)
        await tx.sessions.insertRefreshToken({ tokenHash, sessionId, issuedAt: now, usedAt: undefined })
      },
      pair: () => tokenPairs.pairOf(session, refreshToken, now),
    }
  }

  return {
    begin,

    async open(accountId: AccountId, deviceId: DeviceId | undefined): Promise<TokenPair> {
      const { insert, pair } = begin(accountId, deviceId)
      await store.write([accountLock(accountId)], insert)
      return pair()
    },

    bind: createBindSession(ports),

    name: createNameSession(ports),

    refresh: createRefresh({ store, clock, tokenPairs }, settings),

    /** Live sessions, oldest first. */
    async list(accountId: AccountId): Promise<readonly ListedSession[]> {
      return store.read((tx) => tx.sessions.listLive(accountId, clock.now()))
    },

    /** Ends a session of the account. Does not tell whether there was one. */
    async endOwn(accountId: AccountId, sessionId: SessionId): Promise<void> {
      await store.write([accountLock(accountId)], async (tx) => {
        const session = await tx.sessions.find(sessionId)
        if (session?.accountId === accountId) await tx.sessions.end(sessionId, clock.now())
      })
    },

    async end({
      account: { accountId },
      sessionId,
    }: Pick<Caller, 'sessionId'> & { readonly account: Pick<Account, 'accountId'> }): Promise<void> {
      await store.write([accountLock(accountId)], (tx) => tx.sessions.end(sessionId, clock.now()))
    },

    /** For a connection that outlives a request: whether the present signing key has signed the caller's token. */
    isSigned: ({ accessToken }: Caller): Promise<boolean> => tokenPairs.isSigned(accessToken),

    /** The caller whose live session the bearer token belongs to. */
    async authenticate(accessToken: string): Promise<Caller | Refuses<'token_unreadable' | 'session_over'>> {
      const known = tokens.known()
      const claims = await tokenPairs.read(accessToken)
      if (claims === undefined) return { refused: 'token_unreadable' }
      const { sessionId, expiresAtMs } = claims
      const now = clock.now()
      // No token lasts longer than a token that is issued now, even if the clock or the settings were different when
      // this token was issued.
      const expiresAt = instantOf(Math.min(expiresAtMs, addSeconds(now, settings.accessTokenSeconds)))
      if (now >= expiresAt) return { refused: 'session_over' }
      const { found, key } = await ownerOf(sessionId)
      // Another process has replaced the key that has signed it.
      if (key !== known && (await tokenPairs.read(accessToken)) === undefined) return { refused: 'token_unreadable' }
      return found === undefined || found.account.deletedAt !== undefined || !isLive(found.session, now)
        ? { refused: 'session_over' }
        : { account: found.account, sessionId, accessToken, expiresAt }
    },
  }
}

async function endSurplus(tx: WriteTx, accountId: AccountId, now: Instant): Promise<void> {
  const live = await tx.sessions.listLive(accountId, now)
  const surplus = Math.max(0, live.length + 1 - MAX_SESSIONS)
  const byUse = live.toSorted((one, other) => one.lastUsedAt - other.lastUsedAt)
  for (const { sessionId } of byUse.slice(0, surplus)) await tx.sessions.end(sessionId, now)
}

/** Who uses a session, and the key that signs access tokens now. */
async function readOwner(tx: ReadTx, sessionId: SessionId, tokens: Pick<SigningKey, 'seenBy'>) {
  const [found, key] = await Promise.all([tx.sessions.findWithAccount(sessionId), tokens.seenBy(tx)])
  return { found, key }
}
