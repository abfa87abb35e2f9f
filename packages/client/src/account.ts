/** Registration and sign-in: everything that is derived from the password, which itself never leaves this process. */
import { type Bytes, fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import type { DeviceId } from '@blindkeep/protocol/ids'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { AccountError } from './account/accountError.ts'
import { masterOf } from './account/masterOf.ts'
import { accountKeySeal, newPassword } from './account/newPassword.ts'
import {
  accountKeyOf,
  type NewRecoveryWords,
  noteRegistered,
  noteSent,
  recoveryOf,
} from './account/newRecoveryWords.ts'
import { type Challenge, type SignInResult, sessionOf, signInResultOf } from './account/signIn.ts'
import { type Environment, systemEnvironment } from './environment.ts'
import { type Call, createCalls } from './http/call.ts'
import { sendAgainWhenLost } from './http/lostAnswer.ts'
import { createSession, type SessionListener, type TokenPair } from './http/session.ts'
import { type Owner, openOwner } from './owner.ts'
import { authenticationSecret } from './seal/derive.ts'
import { openSmall } from './seal/open.ts'
import { SealError } from './seal/sealError.ts'

export interface SignIn extends SessionListener {
  readonly baseUrl: string
  readonly email: string
  readonly password: string
  readonly environment?: Environment | undefined
}

export interface LogIn extends SignIn {
  /** One of the account's, that this client signs with: whoever revokes it signs this client out. A session without one outlives every device. */
  readonly deviceId?: DeviceId | undefined
}

export type { SessionListener, TokenPair } from './http/session.ts'

export type SignedIn = SignInResult<Owner>
/** The question for the second factor. */
export type SecondStep = Challenge<Owner>

export interface Register extends SignIn {
  /** Where the server asks for one. */
  readonly invite?: string | undefined
  /** Of `newRecoveryWords`, the only way back in without the password: `confirm` gives them afterwards. Without any there is none, and none can be made later. */
  readonly recovery?: NewRecoveryWords | undefined
}

/**
 * Makes an account with a new account key. Takes 64 MiB and a second or so; throws what a call throws. A request whose answer was lost is sent once more.
 * After a `NetworkError` the account may be there all the same, and after it `error.auth.user_already_exists` or `error.auth.registration_closed` may mean the
 * caller's own: `logIn` with the same password tells, and `recovery` can be confirmed.
 */
export async function registerOwner(options: Register): Promise<Owner> {
  const { baseUrl, email, password, invite, recovery, onTokens, onEnded, environment = systemEnvironment } = options
  const calls = createCalls({ baseUrl, fetch: environment.fetch })
  const accountKey = recovery === undefined ? environment.randomBytes(KEY_BYTES) : accountKeyOf(recovery, environment)
  const body = {
    email,
    ...(await newPassword(environment, { password, accountKey })),
    ...(invite === undefined ? {} : { invite }),
    ...(recovery === undefined ? {} : await recoveryOf(recovery, accountKey)),
  }
  if (recovery !== undefined) noteSent(recovery, { calls, email })
  const { body: tokens } = await sendAgainWhenLost(() => calls.call('register', { body }))
  if (recovery !== undefined) noteRegistered(recovery)
  const session = await sessionOf(calls, tokens, { onTokens, onEnded })
  return openOwner({ baseUrl, accountKey, session, environment })
}

/**
 * Signs in and opens the account key, or asks for the second factor where one is on. Throws `AccountError`, and is signed out again then, or what a call
 * throws: `error.auth.invalid_credentials` for an unknown e-mail as for a wrong password.
 */
export async function logIn(options: LogIn): Promise<SignedIn> {
  const { baseUrl, email, password, deviceId, onTokens, onEnded, environment = systemEnvironment } = options
  const calls = createCalls({ baseUrl, fetch: environment.fetch })
  const master = await masterOf({ call: calls.call, environment }, { email, password })
  const secret = toBase64(authenticationSecret(master))
  const answer = await calls.call('login', {
    body: { email, password: secret, ...(deviceId === undefined ? {} : { device_id: deviceId }) },
  })
  return signInResultOf(answer, {
    calls,
    listener: { onTokens, onEnded },
    async open(session) {
      const { call } = createCalls({ baseUrl, fetch: environment.fetch, tokens: session })
      const accountKey = await keptAccountKey(call, master)
      return openOwner({ baseUrl, accountKey, session, environment })
    },
  })
}

export interface ResumeOwner extends SessionListener {
  readonly baseUrl: string
  readonly accountKey: Bytes
  /** The latest pair of the session; no other client may use it. */
  readonly tokens: TokenPair
  readonly environment?: Environment | undefined
}

/** The owner of a session that the caller kept. Asks the server nothing. */
export function resumeOwner(options: ResumeOwner): Owner {
  const { baseUrl, accountKey, tokens, onTokens, onEnded, environment = systemEnvironment } = options
  const calls = createCalls({ baseUrl, fetch: environment.fetch })
  return openOwner({ baseUrl, accountKey, session: createSession({ calls, tokens, onTokens, onEnded }), environment })
}

/** A session in which nothing can be opened is of no use to its owner, so it is ended, as well as that goes. */
async function keptAccountKey(call: Call, master: Bytes): Promise<Bytes> {
  const { body: account } = await call('account')
  try {
    return await openAccountKey(account.sealed_account_key ?? undefined, master)
  } catch (error) {
    await call('logout').catch(() => undefined)
    throw error
  }
}

async function openAccountKey(sealed: string | undefined, master: Bytes): Promise<Bytes> {
  if (sealed === undefined) throw new AccountError('account_key_missing')
  try {
    const accountKey = await openSmall(fromBase64(sealed), accountKeySeal(master))
    if (accountKey.length === KEY_BYTES) return accountKey
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause
    throw new AccountError('account_key_unreadable', { cause })
  }
  throw new AccountError('account_key_unreadable')
}
