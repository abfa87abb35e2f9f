/** Signing in with a passkey, whose PRF opens the account key. The application asks the authenticator. */
import { fromBase64, uuidBytes } from '@blindkeep/protocol/bytes'
import { type DeviceId, type PasskeyId, parsePasskeyId } from '@blindkeep/protocol/ids'
import type { TokenResponse } from '@blindkeep/protocol/schemas/accounts'
import { ID_BYTES } from '@blindkeep/protocol/suites'
import { AccountError } from './account/accountError.ts'
import { readOwnAccount } from './account/ownerAccount.ts'
import { openedOrEnded, sessionOf } from './account/signIn.ts'
import { type Environment, systemEnvironment } from './ground/environment.ts'
import { addressOf, type ServerAddress } from './http/baseUrl.ts'
import { type Call, type Calls, createCalls } from './http/call.ts'
import { ProblemError } from './http/errors.ts'
import { callProved, type ProvedMembers } from './http/proof.ts'
import type { SessionListener } from './http/session.ts'
import { type Owner, openOwner } from './owner.ts'
import { passkeySignInSeed } from './seal/derive.ts'
import { uuidOf } from './seal/newId.ts'
import { openPasskeyKey, type PasskeyContent } from './seal/passkeyKey.ts'
import { SealError } from './seal/sealError.ts'

export { PASSKEY_INPUT } from './seal/derive.ts'

export interface PasskeySignIn extends SessionListener, ServerAddress {
  /** The user handle that the authenticator answered with. */
  readonly userHandle: Uint8Array
  /** 32 bytes, SECRET: what the authenticator gave for `PASSKEY_INPUT`. */
  readonly output: Uint8Array
  /** As in `LogIn`. */
  readonly deviceId?: DeviceId | undefined
  readonly environment?: Environment | undefined
}

/**
 * Signs in and opens the account key, without an e-mail address, a password or a second factor. Throws `AccountError`
 * `passkey_refused` for a passkey that the server does not know (any more); `AccountError` for the account after it has
 * ended the session again; `RangeError` for an output of another length; `AddressError`, and what a call throws:
 * `error.auth.rate_limited`, `error.device.not_authorized`.
 */
export async function logInWithPasskey(options: PasskeySignIn): Promise<Owner> {
  const { userHandle, output, deviceId, onTokens, onEnded, environment = systemEnvironment } = options
  const passkeyId = userHandle.length === ID_BYTES ? parsePasskeyId(uuidOf(userHandle)) : undefined
  if (passkeyId === undefined) throw new AccountError('passkey_refused')
  const calls = createCalls({ ...addressOf(options), fetch: environment.fetch })
  const tokens = await tokensFor(calls, {
    seed: passkeySignInSeed(output),
    passkey_id: passkeyId,
    ...(deviceId === undefined ? {} : { device_id: deviceId }),
  })
  const session = await sessionOf(calls, tokens, { onTokens, onEnded })
  const { call } = createCalls({ ...calls.address, fetch: environment.fetch, tokens: session })
  return openedOrEnded(call, async () => {
    const { accountId, accountKey, email } = await keptContent(call, { passkeyId, output })
    if (accountId !== session.current().accountId) throw new AccountError('account_id_differs')
    await readOwnAccount({ call, email })
    return openOwner({ ...calls.address, email, accountKey, session, environment })
  })
}

async function tokensFor(calls: Calls, members: ProvedMembers<'passkeyLogin'>): Promise<TokenResponse> {
  try {
    return (await callProved(calls, 'passkeyLogin', members)).body
  } catch (cause) {
    const isUnknown = cause instanceof ProblemError && cause.code === 'error.auth.invalid_credentials'
    throw isUnknown ? new AccountError('passkey_refused', { cause }) : cause
  }
}

async function keptContent(
  call: Call,
  { passkeyId, output }: { readonly passkeyId: PasskeyId; readonly output: Uint8Array },
): Promise<PasskeyContent> {
  const { body } = await call('listPasskeys')
  const entry = body.passkeys.find(({ passkey_id }) => passkey_id === passkeyId)
  if (entry === undefined) throw new AccountError('passkey_key_unreadable')
  try {
    return await openPasskeyKey({ output, passkeyId: uuidBytes(passkeyId) }, fromBase64(entry.sealed_passkey_key))
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause
    throw new AccountError('passkey_key_unreadable', { cause })
  }
}
