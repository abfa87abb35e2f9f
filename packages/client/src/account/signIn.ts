/** How a sign-in or a recovery ends: signed in, or asked for the second factor. */
import type { ChallengeResponse, TokenResponse } from '@blindkeep/protocol/schemas/accounts'
import type { Call, Calls } from '../http/call.ts'
import { createSession, type Session, type SessionListener, tokenPairOf } from '../http/session.ts'
import { AccountError } from './accountError.ts'

/** Exactly one member is present. 202 asks for the second factor: no failure (specification, Authentication, 3). */
export type SignInResult<Owner> =
  | { readonly owner: Owner; readonly challenge?: undefined }
  | { readonly owner?: undefined; readonly challenge: Challenge<Owner> }

/** The account has a second factor: the sign-in is complete once the code was accepted. */
export interface Challenge<Owner> {
  /** RFC 3339. After this time, or after 5 wrong codes, start again with the password. */
  readonly expiresAt: string
  /**
   * Takes a code of the authenticator or a backup code, with any spaces and capitals. Throws what signing in throws,
   * and `ProblemError` `error.auth.totp_invalid_code` (ask for another code), `error.auth.totp_challenge_invalid`
   * (start again) or `error.auth.rate_limited`. A second call while the first one runs sends nothing and returns the
   * same outcome.
   */
  answer(code: string): Promise<Owner>
}

type SignInAnswer =
  | { readonly status: 200; readonly body: TokenResponse }
  | { readonly status: 202; readonly body: ChallengeResponse }

export interface SigningIn<Owner> {
  /** Without tokens. */
  readonly calls: Calls
  readonly listener: SessionListener
  /** Called once there is a session. */
  readonly open: (session: Session) => Promise<Owner>
}

/** Turns the server's answer into the owner, or into the challenge for the second factor. */
export async function signInResultOf<Owner>(
  answer: SignInAnswer,
  { calls, listener, open }: SigningIn<Owner>,
): Promise<SignInResult<Owner>> {
  if (answer.status === 200) return { owner: await open(await sessionOf(calls, answer.body, listener)) }
  const { mfa_token, expires_at: expiresAt } = answer.body
  // The server accepts a code once: neither a second call after a broken connection nor a parallel one may send
  // it again.
  let session: Promise<Session> | undefined
  const verified = async (code: string): Promise<Session> =>
    sessionOf(calls, (await calls.call('verifyTotp', { body: { mfa_token, code } })).body, listener)
  const challenge: Challenge<Owner> = {
    expiresAt,
    async answer(code) {
      session ??= verified(code).catch((error: unknown) => {
        session = undefined
        throw error
      })
      return open(await session)
    },
  }
  return { challenge }
}

/** Hands the tokens to the listener, and then starts the session with them. */
export async function sessionOf(calls: Calls, answer: TokenResponse, listener: SessionListener): Promise<Session> {
  const tokens = tokenPairOf(answer)
  await listener.onTokens?.(tokens)
  return createSession({ calls, tokens, ...listener })
}

/** Opens the account of a new session. If that fails, tries to end the useless session and throws `AccountError`. */
export async function openedOrEnded<Opened>(call: Call, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    // After any other failure the application, or a second step, may use the session again.
    if (error instanceof AccountError) await call('logout').catch(() => undefined)
    throw error
  }
}
