import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import {
  accountLock,
  type ReadTx,
  type RefreshToken,
  type Session,
  type Store,
  type WriteTx,
} from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'
import { sha256 } from '../sha256.ts'
import { isLive } from './liveSession.ts'
import type { TokenPair, TokenPairs } from './tokenPairs.ts'

/**
 * Of a session, so many used tokens are remembered: two days of a client that is never closed. One that is forgotten gets the answer of an unknown token, and
 * no longer ends the session.
 */
export const REMEMBERED_TOKENS = 200
/** An honest client whose answer was lost repeats within this time. */
const REPEAT_SECONDS = 60

interface RefreshPorts {
  readonly store: Store
  readonly clock: Clock
  readonly tokenPairs: TokenPairs
}

interface RefreshSettings {
  readonly refreshTokenSeconds: number
}

export function createRefresh(ports: RefreshPorts, settings: RefreshSettings) {
  const { store, clock, tokenPairs } = ports
  /** Exchanges a refresh token for a new pair. Ends the session when the token was used before, unless it is an honest repeat. */
  return async function refresh(refreshToken: string): Promise<TokenPair | Refuses<'session_over'>> {
    const given = Buffer.from(refreshToken, 'base64url')
    // A read keeps tokens that lead nowhere out of the queue of writes. The write below checks again.
    const chain = await store.read((tx) => chainOf(tx, given, clock.now()))
    if (chain === undefined) return { refused: 'session_over' }
    const rotation = await store.write([accountLock(chain.session.accountId)], (tx) =>
      rotate(tx, given, { ...ports, ...settings }),
    )
    return rotation === undefined
      ? { refused: 'session_over' }
      : tokenPairs.pairOf(rotation.session, rotation.successor, rotation.issuedAt)
  }
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

/** The token's row and its live session. */
async function chainOf(tx: ReadTx | WriteTx, given: Uint8Array, now: Instant): Promise<Chain | undefined> {
  const token = await tx.sessions.findRefreshToken(sha256(given))
  const session = token && (await tx.sessions.find(token.sessionId))
  return token === undefined || session === undefined || !isLive(session, now) ? undefined : { token, session }
}

/** Undefined when the session is over. It ends the session itself when the token was used before: another client has the token. */
async function rotate(
  tx: WriteTx,
  given: Uint8Array,
  { clock, tokenPairs, refreshTokenSeconds }: RefreshPorts & RefreshSettings,
): Promise<Rotation | undefined> {
  const now = clock.now()
  const chain = await chainOf(tx, given, now)
  if (chain === undefined) return undefined
  const { token, session } = chain
  const { sessionId } = session
  const successor = tokenPairs.successorOf(given)
  if (await tx.sessions.useRefreshToken(token.tokenHash, now)) {
    const tokenHash = sha256(successor)
    await tx.sessions.insertRefreshToken({ tokenHash, sessionId, issuedAt: now, usedAt: undefined })
    await tx.sessions.pruneRefreshTokens(sessionId, REMEMBERED_TOKENS)
    await tx.sessions.prolong(sessionId, now, addSeconds(now, refreshTokenSeconds))
    return { session, successor, issuedAt: now }
  }
  const usedAt = token.usedAt ?? now
  const isHonest = now <= addSeconds(usedAt, REPEAT_SECONDS) && (await isUnused(tx, successor))
  if (isHonest) return { session, successor, issuedAt: usedAt }
  await tx.sessions.end(sessionId, now)
  return undefined
}

async function isUnused(tx: WriteTx, refreshToken: Uint8Array): Promise<boolean> {
  const token = await tx.sessions.findRefreshToken(sha256(refreshToken))
  return token !== undefined && token.usedAt === undefined
}
