import type { AccountId } from '@blindkeep/protocol/ids'
import type { TokenResponse } from '@blindkeep/protocol/schemas/accounts'
import type { AccessTokens, Calls } from './call.ts'
import { ProblemError } from './errors.ts'

/** Who is signed in. Secret: the refresh token opens the session for 30 days. */
export interface TokenPair {
  readonly accountId: AccountId
  readonly accessToken: string
  /** Single use; each answer brings the next one. */
  readonly refreshToken: string
  /** RFC 3339; when the access token ends. */
  readonly expiresAt: string
}

/** For whoever keeps a session over a reload, or shows that it has ended. */
export interface SessionListener {
  /**
   * Called with each new pair, and awaited before it is used. A pair is spent once its successor is used, and a spent one that comes again ends the
   * session: one pair belongs to one client at a time. Two tabs that open the same stored pair sign each other out.
   */
  readonly onTokens?: ((tokens: TokenPair) => void | Promise<void>) | undefined
  /** Called when the server has said that the session is over: signed out elsewhere, or unused for too long. Whoever waits for a call gets its error as well. */
  readonly onEnded?: (() => void) | undefined
}

export interface SessionOptions extends SessionListener {
  /** Without tokens of its own: it rotates them. */
  readonly calls: Calls
  readonly tokens: TokenPair
}

export interface Session extends AccessTokens {
  current(): TokenPair
}

/** Keeps the token pair and renews it: one rotation at a time, as a refresh token used twice ends the session. */
export function createSession({ calls, tokens, onTokens, onEnded }: SessionOptions): Session {
  let current = tokens
  let renewal: Promise<void> | undefined

  async function rotate(): Promise<void> {
    const { body } = await calls.call('refresh', { body: { refresh_token: current.refreshToken } }).catch((error) => {
      if (error instanceof ProblemError && error.status === 401) onEnded?.()
      throw error
    })
    const next = tokenPairOf(body)
    // Where it cannot be kept it is not used either, and the pair before it stays good.
    await onTokens?.(next)
    current = next
  }

  return {
    current: () => current,
    access: () => current.accessToken,
    renew: async (spent) => {
      // Whoever comes late finds that the token has been renewed since its own call was made.
      if (current.accessToken !== spent) return
      renewal ??= rotate().finally(() => {
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
