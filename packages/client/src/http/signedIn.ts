/** What stands at the end of a sign-in or a recovery: the owner, or the question for the second factor. */
import type { ChallengeResponse, TokenResponse } from '@blindkeep/protocol/schemas/accounts'
import type { Owner } from '../owner.ts'
import type { Calls } from './call.ts'
import { createSession, type Session, type SessionListener, tokenPairOf } from './session.ts'

/** 202 is a continuation, not a failure (specification, Authentication, 3): exactly one of the two is there. */
export type SignedIn =
  | { readonly owner: Owner; readonly challenge?: undefined }
  | { readonly owner?: undefined; readonly challenge: SecondStep }

/** The account has a second factor: nobody is signed in before its code was given. */
export interface SecondStep {
  /** RFC 3339; after it, or after 5 wrong codes, begin anew with the password. */
  readonly expiresAt: string
  /**
   * Takes what the authenticator shows or a backup code, however it is typed. Throws what signing in throws, and of a call
   * `error.auth.totp_invalid_code` (ask again), `error.auth.totp_challenge_invalid` (begin anew) or `error.auth.rate_limited`. Asked again while it is
   * under way, it sends nothing and waits for the same outcome.
   */
  answer(code: string): Promise<Owner>
}

export type SignInAnswer =
  | { readonly status: 200; readonly body: TokenResponse }
  | { readonly status: 202; readonly body: ChallengeResponse }

export interface SigningIn {
  /** Without tokens. */
  readonly calls: Calls
  readonly listener: SessionListener
  /** Once there is a session. */
  readonly open: (session: Session) => Promise<Owner>
}

export async function signedIn(answer: SignInAnswer, { calls, listener, open }: SigningIn): Promise<SignedIn> {
  if (answer.status === 200) return { owner: await open(await sessionOf(calls, answer.body, listener)) }
  const { mfa_token, expires_at: expiresAt } = answer.body
  // A code is taken once, so neither a second call after a cut nor one at the same time may send it again.
  let session: Promise<Session> | undefined
  const verified = async (code: string): Promise<Session> =>
    sessionOf(calls, (await calls.call('verifyTotp', { body: { mfa_token, code } })).body, listener)
  const challenge: SecondStep = {
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

export async function sessionOf(calls: Calls, answer: TokenResponse, listener: SessionListener): Promise<Session> {
  const tokens = tokenPairOf(answer)
  await listener.onTokens?.(tokens)
  return createSession({ calls, tokens, ...listener })
}
