import type { AccountId } from '@blindkeep/protocol/ids'
import type { TokenResponse } from '@blindkeep/protocol/schemas/accounts'
import type { AccessTokens, Calls } from './call.ts'
import { AnswerError, ProblemError } from './errors.ts'

/** The tokens of a session. SECRET: the refresh token is valid for 30 days. */
export interface TokenPair {
  readonly accountId: AccountId
  readonly accessToken: string
  /** Single use: each rotation returns the next one. */
  readonly refreshToken: string
  /** RFC 3339: the end of the access token. */
  readonly expiresAt: string
}

/** For an application that stores the session, or shows that it has ended. */
export interface SessionListener {
  /**
   * Called with each new pair, and awaited before the client uses it. Once the client uses a pair, the one before is
   * spent, and a spent pair that is used again ends the session. So one pair belongs to one client: two tabs that load
   * the same stored pair sign each other out. Clients that must share a pair pass `shared`.
   */
  readonly onTokens?: ((tokens: TokenPair) => void | Promise<void>) | undefined
  /** For several clients that use one stored pair at the same time. */
  readonly shared?: SharedTokens | undefined
  /** Called when the server says that the session is over: ended elsewhere, or unused. Pending calls reject too. */
  readonly onEnded?: (() => void) | undefined
}

export interface SharedTokens {
  /** Runs `renewal` while no other client of the pair does. */
  alone(renewal: () => Promise<void>): Promise<void>
  /** The pair that the last renewal has stored through `onTokens`. */
  stored(): Promise<TokenPair>
}

interface SessionOptions extends SessionListener {
  /** Calls without tokens, for the rotation. */
  readonly calls: Calls
  readonly tokens: TokenPair
}

export interface Session extends AccessTokens {
  current(): TokenPair
}

/** Holds and renews the token pair. One rotation at a time: a refresh token used twice ends the session. */
export function createSession({ calls, tokens, onTokens, shared, onEnded }: SessionOptions): Session {
  let current = tokens
  let renewal: Promise<void> | undefined

  async function rotateAmongAll({ alone, stored }: SharedTokens): Promise<void> {
    await alone(async () => {
      const latest = await stored()
      if (latest.accountId !== current.accountId) throw new RangeError('the stored tokens are of another account')
      if (latest.accessToken === current.accessToken) await rotate()
      else current = latest
    })
  }

  async function rotate(): Promise<void> {
    const { body } = await calls.call('refresh', { body: { refresh_token: current.refreshToken } }).catch((error) => {
      if (error instanceof ProblemError && error.status === 401) onEnded?.()
      throw error
    })
    const next = tokenPairOf(body)
    if (next.accountId !== current.accountId) throw new AnswerError('refresh', 'it is for another account')
    // When storing fails, the client does not use the new pair, and the one before stays valid.
    await onTokens?.(next)
    current = next
  }

  return {
    current: () => current,
    access: () => current.accessToken,
    renew: async (spent) => {
      // Another call has renewed the token since this one was sent.
      if (current.accessToken !== spent) return
      renewal ??= (shared === undefined ? rotate() : rotateAmongAll(shared)).finally(() => {
        renewal = undefined
      })
      await renewal
    },
  }
}

export function tokenPairOf(answer: TokenResponse): TokenPair {
  return {
    accountId: answer.account_id,
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    expiresAt: answer.expires_at,
  }
}
