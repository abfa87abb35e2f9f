/** Registration, sign-in, and sessions that were kept. The password never leaves this process. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import { normaliseEmail } from '@blindkeep/protocol/email'
import type { DeviceId } from '@blindkeep/protocol/ids'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { AccountError } from './account/accountError.ts'
import { emailFor, keysOfPassword } from './account/masterOf.ts'
import { newPassword } from './account/newPassword.ts'
import {
  accountKeyOf,
  type NewRecoveryWords,
  noteRegistered,
  noteSent,
  recoveryOf,
} from './account/newRecoveryWords.ts'
import { openAccountKey } from './account/openAccountKey.ts'
import { readOwnAccount } from './account/ownerAccount.ts'
import { type Challenge, openedOrEnded, type SignInResult, sessionOf, signInResultOf } from './account/signIn.ts'
import { type Environment, systemEnvironment } from './ground/environment.ts'
import { addressOf, type ServerAddress } from './http/baseUrl.ts'
import { type Call, createCalls } from './http/call.ts'
import { sendAgainWhenLost } from './http/lostAnswer.ts'
import { callProved } from './http/proof.ts'
import { createSession, type SessionListener, type TokenPair } from './http/session.ts'
import { type Owner, openOwner } from './owner.ts'

export interface SignIn extends SessionListener, ServerAddress {
  readonly email: string
  readonly password: string
  readonly environment?: Environment | undefined
}

export interface LogIn extends SignIn {
  /**
   * The device that this client signs with, if it knows the device before the account key is open. Revoking the device
   * ends the session. Throws `error.device.not_authorized` when the device was revoked. Without it, `Owner.addDevice`
   * or `Owner.tieSession` ties the session.
   */
  readonly deviceId?: DeviceId | undefined
}

export type { SessionListener, SharedTokens, TokenPair } from './http/session.ts'

export type SignedIn = SignInResult<Owner>
/** The question for the second factor. */
export type SecondStep = Challenge<Owner>

export interface Register extends SignIn {
  /** An invite code, where the server requires one. */
  readonly invite?: string | undefined
  /**
   * From `newRecoveryWords`: the only way back in without the password. `confirm` returns the words after the
   * registration. Without it the account has no recovery words until `Owner.changeRecoveryWords`.
   */
  readonly recovery?: NewRecoveryWords | undefined
}

/**
 * Creates an account with a new account key. Takes 64 MiB and about a second. Repeats the request once when its answer
 * was lost. Throws `AccountError` `email_malformed`, `AddressError` when the server calls itself by another address
 * than the given one, and what a call throws. After an error of `mayBeDone` the account may exist nevertheless, and a
 * second call may throw `error.auth.user_already_exists` or `error.auth.registration_closed` because of it: `logIn`
 * with the same password shows that, and `recovery` can be confirmed.
 */
export async function registerOwner(options: Register): Promise<Owner> {
  const { password, invite, recovery, onTokens, onEnded, environment = systemEnvironment } = options
  const calls = createCalls({ ...addressOf(options), fetch: environment.fetch })
  const email = await emailFor(calls, options.email)
  const accountKey = recovery === undefined ? environment.randomBytes(KEY_BYTES) : accountKeyOf(recovery, environment)
  const { seed, members } = await newPassword(environment, { email, password, accountKey })
  const body = {
    seed,
    email,
    ...members,
    ...(invite === undefined ? {} : { invite }),
    ...(recovery === undefined ? {} : await recoveryOf(recovery, accountKey)),
  }
  if (recovery !== undefined) noteSent(recovery, { calls, email })
  const { body: tokens } = await sendAgainWhenLost(() => callProved(calls, 'register', body))
  if (recovery !== undefined) noteRegistered(recovery)
  const session = await sessionOf(calls, tokens, { onTokens, onEnded })
  return openOwner({ ...calls.address, email, accountKey, session, environment })
}

/**
 * Signs in and opens the account key, or asks for the second factor. Throws `AddressError` and `AccountError` like
 * `registerOwner` and for the salt, `AccountError` for the account key after it has ended the session again, and what a
 * call throws: `error.auth.invalid_credentials` for an unknown e-mail and for a wrong password alike.
 */
export async function logIn(options: LogIn): Promise<SignedIn> {
  const { password, deviceId, onTokens, onEnded, environment = systemEnvironment } = options
  const calls = createCalls({ ...addressOf(options), fetch: environment.fetch })
  const { email, master, seed } = await keysOfPassword({ calls, environment }, { email: options.email, password })
  const device = deviceId === undefined ? {} : { device_id: deviceId }
  const answer = await callProved(calls, 'login', { seed, email, ...device })
  return signInResultOf(answer, {
    calls,
    listener: { onTokens, onEnded },
    async open(session) {
      const { call } = createCalls({ ...calls.address, fetch: environment.fetch, tokens: session })
      const accountKey = await keptAccountKey({ call, email, master })
      return openOwner({ ...calls.address, email, accountKey, session, environment })
    },
  })
}

export interface ResumeOwner extends SessionListener, ServerAddress {
  /** The owner's e-mail address, as `Owner.email` said when the session began: the server's word never replaces it. */
  readonly email: string
  readonly accountKey: Bytes
  /** The latest pair of the session. No other client may use it, unless all pass `shared`. */
  readonly tokens: TokenPair
  readonly environment?: Environment | undefined
}

/**
 * Continues a session that the application kept, without a request. Throws `AccountError` `email_malformed`.
 * The session may be untied: call `addDevice` or `tieSession` with the kept device.
 */
export function resumeOwner(options: ResumeOwner): Owner {
  const { accountKey, tokens, onTokens, shared, onEnded, environment = systemEnvironment } = options
  const email = normaliseEmail(options.email)
  if (email === undefined) throw new AccountError('email_malformed')
  const calls = createCalls({ ...addressOf(options), fetch: environment.fetch })
  const session = createSession({ calls, tokens, onTokens, shared, onEnded })
  return openOwner({ ...calls.address, email, accountKey, session, environment })
}

interface KeptAccountKey {
  readonly call: Call
  readonly email: string
  readonly master: Bytes
}

function keptAccountKey({ call, email, master }: KeptAccountKey): Promise<Bytes> {
  return openedOrEnded(call, async () => {
    const account = await readOwnAccount({ call, email })
    return openAccountKey(account.sealed_account_key ?? undefined, master)
  })
}
