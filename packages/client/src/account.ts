/** Registration and sign-in: everything that is derived from the password, which itself never leaves this process. */
import { type Bytes, fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import type { TokenResponse } from '@blindkeep/protocol/schemas/accounts'
import { KEY_BYTES, SALT_BYTES } from '@blindkeep/protocol/suites'
import { type Calls, createCalls } from './call.ts'
import { accountWrapKey, authenticationSecret, NO_CONTEXT } from './derive.ts'
import { type Environment, systemEnvironment } from './environment.ts'
import { openSmall } from './open.ts'
import { type Owner, openOwner } from './owner.ts'
import { sealSmall } from './seal.ts'
import { SealError } from './sealedBlob.ts'
import { createSession, type Session, type TokenPair, tokenPairOf } from './session.ts'

/** Argon2id with 64 MiB, 3 passes, 1 lane. A server that could name another would choose one that it can guess against. */
const KDF_VERSION = 1

export interface SignIn {
  readonly baseUrl: string
  readonly email: string
  readonly password: string
  /** Called with each new token pair, for whoever keeps them over a reload. */
  readonly onTokens?: ((tokens: TokenPair) => void) | undefined
  readonly environment?: Environment | undefined
}

export type AccountFault = 'kdf_unknown' | 'account_key_missing' | 'account_key_unreadable'

const FAULTS: Readonly<Record<AccountFault, string>> = {
  kdf_unknown:
    'The server asks for a key derivation that this client does not know, so nothing was derived from the password.',
  account_key_missing: 'The server keeps no account key for this account, so nothing in it can be opened.',
  account_key_unreadable: 'Caught: what the server gives as the account key was not sealed under this password.',
}

/** Signing in worked, or would have, but what the server gave cannot be used. */
export class AccountError extends Error {
  override readonly name = 'AccountError'
  readonly reason: AccountFault

  constructor(reason: AccountFault, options?: ErrorOptions) {
    super(FAULTS[reason], options)
    this.reason = reason
  }
}

/** Makes an account with a new account key. Takes 64 MiB and a second or so; throws what a call throws. */
export async function registerOwner(options: SignIn & { readonly invite?: string | undefined }): Promise<Owner> {
  const { baseUrl, email, password, invite, environment = systemEnvironment } = options
  const calls = createCalls({ baseUrl, fetch: environment.fetch })
  const salt = environment.randomBytes(SALT_BYTES)
  const master = await environment.masterOfPassword(password, salt)
  const accountKey = environment.randomBytes(KEY_BYTES)
  const sealedAccountKey = await sealSmall(accountKey, accountKeySeal(master))
  const { body } = await calls.call('register', {
    body: {
      email,
      password: toBase64(authenticationSecret(master)),
      kdf_version: KDF_VERSION,
      salt: toBase64(salt),
      sealed_account_key: toBase64(sealedAccountKey),
      ...(invite === undefined ? {} : { invite }),
    },
  })
  return openOwner({ baseUrl, accountKey, session: sessionOf(calls, body, options), environment })
}

/** Signs in and opens the account key. Throws `AccountError`, or what a call throws: `error.auth.invalid_credentials` for an unknown e-mail as for a wrong password. */
export async function logIn(options: SignIn): Promise<Owner> {
  const { baseUrl, email, password, environment = systemEnvironment } = options
  const calls = createCalls({ baseUrl, fetch: environment.fetch })
  const { body: kdf } = await calls.call('kdf', { body: { email } })
  if (kdf.kdf_version !== KDF_VERSION) throw new AccountError('kdf_unknown')
  const master = await environment.masterOfPassword(password, fromBase64(kdf.salt))
  const { body: tokens } = await calls.call('login', {
    body: { email, password: toBase64(authenticationSecret(master)) },
  })
  const session = sessionOf(calls, tokens, options)
  const signedIn = createCalls({ baseUrl, fetch: environment.fetch, tokens: session })
  const { body: account } = await signedIn.call('account')
  const accountKey = await openAccountKey(account.sealed_account_key ?? undefined, master)
  return openOwner({ baseUrl, accountKey, session, environment })
}

function sessionOf(calls: Calls, tokens: TokenResponse, { onTokens }: SignIn): Session {
  const pair = tokenPairOf(tokens)
  onTokens?.(pair)
  return createSession({ calls, tokens: pair, onTokens })
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

function accountKeySeal(master: Bytes) {
  return { key: accountWrapKey(master), purpose: 'account-key', contextId: NO_CONTEXT } as const
}
