import { createHmac } from 'node:crypto'
import {
  type AccountId,
  addSeconds,
  type DeviceId,
  type Instant,
  instantOf,
  parseSessionId,
  type SessionId,
} from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Account, ReadTx, RefreshToken, Session, Store, WriteTx } from '../../ports/store.ts'
import type { SigningKey } from '../discovery/signingKey.ts'
import { newId } from '../newId.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import { sha256 } from '../sha256.ts'

/** Who is signed in: a session, its short access tokens and its chain of single-use refresh tokens. */
export interface SessionSettings {
  readonly serverId: string
  readonly accessTokenSeconds: number
  readonly refreshTokenSeconds: number
}

export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresAt: Instant
  readonly accountId: AccountId
}

export interface Caller {
  readonly account: Account
  readonly sessionId: SessionId
  /** What was presented. */
  readonly accessToken: string
  /** When that ends, at the latest. */
  readonly expiresAt: Instant
}

/** One more ends the one that has gone unused for longest. */
export const MAX_SESSIONS = 100

/** An honest client whose answer was lost repeats within this time. */
const REPEAT_SECONDS = 60
const ACCESS_TYPE = 'at+jwt'

interface SessionPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly tokens: Pick<SigningKey, 'sign' | 'verify'>
  /** Derives a refresh token's successor, so that an honest repeat gets the same one. */
  readonly serverSecret: Uint8Array
}

export type Sessions = ReturnType<typeof createSessions>

export function createSessions(
  { store, clock, random, tokens, serverSecret }: SessionPorts,
  settings: SessionSettings,
) {
  /** The same session, refresh token and time give the same pair. */
  async function pairFor(
    session: Pick<Session, 'sessionId' | 'accountId'>,
    refreshToken: Uint8Array,
    issuedAt: Instant,
  ): Promise<TokenPair> {
    const iat = Math.floor(issuedAt / 1000)
    const exp = iat + settings.accessTokenSeconds
    const claims = {
      iss: settings.serverId,
      aud: settings.serverId,
      sub: session.accountId,
      sid: session.sessionId,
      jti: hmac('jti', refreshToken).subarray(0, 16).toString('base64url'),
      iat,
      exp,
    }
    return {
      accessToken: await tokens.sign({ typ: ACCESS_TYPE }, claims),
      refreshToken: Buffer.from(refreshToken).toString('base64url'),
      expiresAt: instantOf(exp * 1000),
      accountId: session.accountId,
    }
  }

  function hmac(label: string, bytes: Uint8Array): Buffer {
    return createHmac('sha256', serverSecret).update(`${label}\0`).update(bytes).digest()
  }

  async function rotate(
    tx: WriteTx,
    given: Uint8Array,
    { token, session }: Chain,
  ): Promise<Rotation | Refuses<'session_over'>> {
    const now = clock.now()
    const successor = hmac('refresh', given)
    if (await tx.sessions.useRefreshToken(token.tokenHash, now)) {
      await tx.sessions.insertRefreshToken({
        tokenHash: sha256(successor),
        sessionId: session.sessionId,
        issuedAt: now,
        usedAt: undefined,
      })
      await tx.sessions.prolong(session.sessionId, now, addSeconds(now, settings.refreshTokenSeconds))
      return { session, successor, issuedAt: now }
    }
    const usedAt = token.usedAt ?? now
    const isHonest = now <= addSeconds(usedAt, REPEAT_SECONDS) && (await isUnused(tx, successor))
    return isHonest ? { session, successor, issuedAt: usedAt } : { refused: 'session_over' }
  }

  async function isUnused(tx: WriteTx, refreshToken: Uint8Array): Promise<boolean> {
    const token = await tx.sessions.findRefreshToken(sha256(refreshToken))
    return token !== undefined && token.usedAt === undefined
  }

  /** What a refresh token belongs to, as long as that lives. */
  async function chainOf(tx: ReadTx | WriteTx, given: Uint8Array): Promise<Chain | undefined> {
    const token = await tx.sessions.findRefreshToken(sha256(given))
    const session = token && (await tx.sessions.find(token.sessionId))
    return token === undefined || session === undefined || !isLive(session, clock.now())
      ? undefined
      : { token, session }
  }

  /** What a presented refresh token leads to. A reuse ends the session: somebody else has the token. */
  async function present(tx: WriteTx, given: Uint8Array): Promise<Rotation | { readonly isOver: true }> {
    const chain = await chainOf(tx, given)
    if (chain === undefined) return { isOver: true }
    const rotation = await rotate(tx, given, chain)
    if (!isRefusal(rotation)) return rotation
    await tx.sessions.end(chain.session.sessionId, clock.now())
    return { isOver: true }
  }

  async function makeRoom(tx: WriteTx, accountId: AccountId, now: Instant): Promise<void> {
    const live = await tx.sessions.listLive(accountId, now)
    const surplus = Math.max(0, live.length + 1 - MAX_SESSIONS)
    const byUse = live.toSorted((one, other) => one.lastUsedAt - other.lastUsedAt)
    for (const { sessionId } of byUse.slice(0, surplus)) await tx.sessions.end(sessionId, now)
  }

  /** A session that begins with a transaction of the caller's: `pair` is worth nothing before that has committed what `insert` does. */
  function begin(accountId: AccountId, deviceId: DeviceId | undefined): NewSession {
    const now = clock.now()
    const session: Session = {
      sessionId: newId(random, parseSessionId),
      accountId,
      deviceId,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: addSeconds(now, settings.refreshTokenSeconds),
      endedAt: undefined,
    }
    const refreshToken = random.bytes(32)
    return {
      async insert(tx) {
        await makeRoom(tx, accountId, now)
        await tx.sessions.insert(session)
        await tx.sessions.insertRefreshToken({
          tokenHash: sha256(refreshToken),
          sessionId: session.sessionId,
          issuedAt: now,
          usedAt: undefined,
        })
      },
      pair: () => pairFor(session, refreshToken, now),
    }
  }

  return {
    begin,

    async open(accountId: AccountId, deviceId: DeviceId | undefined): Promise<TokenPair> {
      const { insert, pair } = begin(accountId, deviceId)
      await store.write(insert)
      return pair()
    },

    async refresh(refreshToken: string): Promise<TokenPair | Refuses<'session_over'>> {
      const given = Buffer.from(refreshToken, 'base64url')
      // Anybody may send anything: only what leads somewhere is worth a turn among those who write. What counts is judged there.
      if ((await store.read((tx) => chainOf(tx, given))) === undefined) return { refused: 'session_over' }
      const rotation = await store.write((tx) => present(tx, given))
      return 'isOver' in rotation
        ? { refused: 'session_over' }
        : pairFor(rotation.session, rotation.successor, rotation.issuedAt)
    },

    /** Live ones, oldest first. */
    async list(accountId: AccountId): Promise<readonly Session[]> {
      return store.read((tx) => tx.sessions.listLive(accountId, clock.now()))
    },

    /** One of the account’s own. Silent about whether there was one. */
    async endOwn(accountId: AccountId, sessionId: SessionId): Promise<void> {
      await store.write(async (tx) => {
        const session = await tx.sessions.find(sessionId)
        if (session?.accountId === accountId) await tx.sessions.end(sessionId, clock.now())
      })
    },

    async end(sessionId: SessionId): Promise<void> {
      await store.write((tx) => tx.sessions.end(sessionId, clock.now()))
    },

    /** Whether the token that somebody was let in with is good by the signing key of now, for who stays longer than a request. */
    async isSigned({ accessToken }: Caller): Promise<boolean> {
      return (await tokens.verify(ACCESS_TYPE, accessToken)) !== undefined
    },

    /** Who a bearer token stands for, if its session still lives. */
    async authenticate(accessToken: string): Promise<Caller | Refuses<'token_unreadable' | 'session_over'>> {
      const claims = await tokens.verify(ACCESS_TYPE, accessToken)
      const sessionId = parseSessionId(String(claims?.sid))
      const isOurs = claims?.iss === settings.serverId && claims.aud === settings.serverId
      if (!isOurs || sessionId === undefined || typeof claims.exp !== 'number') return { refused: 'token_unreadable' }
      const now = clock.now()
      // No token lasts longer than those that are given now, whatever the clock and the settings were when it was.
      const expiresAt = instantOf(Math.min(claims.exp * 1000, addSeconds(now, settings.accessTokenSeconds)))
      if (now >= expiresAt) return { refused: 'session_over' }
      return store.read(async (tx) => {
        const session = await tx.sessions.find(sessionId)
        const account = session && (await tx.accounts.find(session.accountId))
        const isGone = account === undefined || account.deletedAt !== undefined
        return isGone || session === undefined || !isLive(session, now)
          ? { refused: 'session_over' }
          : { account, sessionId, accessToken, expiresAt }
      })
    },
  }
}

export interface NewSession {
  insert(tx: WriteTx): Promise<void>
  pair(): Promise<TokenPair>
}

interface Chain {
  readonly token: RefreshToken
  readonly session: Session
}

interface Rotation {
  readonly session: Session
  readonly successor: Uint8Array
  readonly issuedAt: Instant
}

export function isLive(session: Session, now: Instant): boolean {
  return session.endedAt === undefined && now < session.expiresAt
}
