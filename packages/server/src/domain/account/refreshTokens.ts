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
import { requireUnmoved } from '../discovery/serverId.ts'
import { isLive } from '../ground/liveSession.ts'
import type { Refuses } from '../ground/refusals.ts'
import { sha256 } from '../ground/sha256.ts'
import type { TokenPair, TokenPairs } from './tokenPairs.ts'

/** Of a session, so many used tokens have a row, for honest repeats. An older one is known by its MAC. */
export const REMEMBERED_TOKENS = 20
/** An honest client whose answer was lost repeats within this time. */
const REPEAT_SECONDS = 60

interface RefreshPorts {
  readonly store: Store
  readonly clock: Clock
  readonly tokenPairs: TokenPairs
}

interface RefreshSettings {
  readonly serverId: string
  readonly refreshTokenSeconds: number
}

export function createRefresh(ports: RefreshPorts, settings: RefreshSettings) {
  const { store, tokenPairs } = ports
  /** Exchanges a refresh token for a pair. A reused token ends the session, unless it is an honest repeat. */
  return async function refresh(refreshToken: string): Promise<TokenPair | Refuses<'session_over'>> {
    const given = Buffer.from(refreshToken, 'base64url')
    // A read keeps tokens that lead nowhere out of the queue of writes. The write below checks again.
    const chain = await store.read((tx) => chainOf(tx, given, ports))
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
  /** Undefined when it was used so long ago that its row no longer exists. */
  readonly token: RefreshToken | undefined
  readonly session: Session
}

interface Rotation {
  readonly session: Session
  readonly successor: Uint8Array
  readonly issuedAt: Instant
}

/** The token's row and its live session. */
async function chainOf(
  tx: ReadTx | WriteTx,
  given: Uint8Array,
  { clock, tokenPairs }: Pick<RefreshPorts, 'clock' | 'tokenPairs'>,
): Promise<Chain | undefined> {
  const token = await tx.sessions.findRefreshToken(sha256(given))
  const sessionId = token?.sessionId ?? tokenPairs.sessionOf(given)
  const session = sessionId && (await tx.sessions.find(sessionId))
  return session === undefined || !isLive(session, clock.now()) ? undefined : { token, session }
}

/** Undefined when the session is over. A reused token ends it: another client has the token. */
async function rotate(
  tx: WriteTx,
  given: Uint8Array,
  ports: RefreshPorts & RefreshSettings,
): Promise<Rotation | undefined> {
  const { clock, tokenPairs, refreshTokenSeconds } = ports
  const now = clock.now()
  const [chain] = await Promise.all([chainOf(tx, given, ports), requireUnmoved(tx, ports.serverId)])
  if (chain === undefined) return undefined
  const { token, session } = chain
  const { sessionId } = session
  const successor = tokenPairs.successorOf(given, sessionId)
  if (token !== undefined && (await tx.sessions.useRefreshToken(token.tokenHash, now))) {
    const tokenHash = sha256(successor)
    await tx.sessions.insertRefreshToken({ tokenHash, sessionId, issuedAt: now, usedAt: undefined })
    await tx.sessions.pruneRefreshTokens(sessionId, REMEMBERED_TOKENS)
    await tx.sessions.prolong(sessionId, now, addSeconds(now, refreshTokenSeconds))
    return { session, successor, issuedAt: now }
  }
  const usedAt = token?.usedAt
  const isRecent = usedAt !== undefined && now <= addSeconds(usedAt, REPEAT_SECONDS)
  if (isRecent && (await isUnused(tx, successor))) return { session, successor, issuedAt: usedAt }
  await tx.sessions.end(sessionId, now)
  return undefined
}

async function isUnused(tx: WriteTx, refreshToken: Uint8Array): Promise<boolean> {
  const token = await tx.sessions.findRefreshToken(sha256(refreshToken))
  return token !== undefined && token.usedAt === undefined
}
