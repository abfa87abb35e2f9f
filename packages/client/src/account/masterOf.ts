import { type Bytes, fromBase64 } from '@blindkeep/protocol/bytes'
import { normaliseEmail } from '@blindkeep/protocol/email'
import { SALT_BYTES } from '@blindkeep/protocol/suites'
import type { Environment } from '../ground/environment.ts'
import type { Calls } from '../http/call.ts'
import { serverIdOf } from '../http/ownAddress.ts'
import { passwordSalt, signInKeySeed } from '../seal/derive.ts'
import { AccountError } from './accountError.ts'

/** Argon2id with 64 MiB, 3 passes, 1 lane. Fixed: a server that could choose another would choose a weak one. */
export const KDF_VERSION = 1

/**
 * The normalised address, once the server has said that it is the one of the address that the person gave: another one
 * learns no e-mail and costs no derivation. Throws `AccountError` for an e-mail that is not plain, before any request;
 * otherwise what `serverIdOf` throws.
 */
export async function emailFor(calls: Calls, typed: string): Promise<string> {
  const email = normaliseEmail(typed)
  if (email === undefined) throw new AccountError('email_malformed')
  await serverIdOf(calls)
  return email
}

interface MasterPorts {
  readonly calls: Calls
  readonly environment: Environment
}

export interface PasswordKeys {
  /** Normalised. */
  readonly email: string
  /** 32 bytes, SECRET; never leaves the client. */
  readonly master: Bytes
  /** Of the sign-in key: 32 bytes, SECRET; never leaves the client. */
  readonly seed: Bytes
}

/** Asks for the salt; takes 64 MiB and a second. Throws `AccountError`, `AddressError`, and what a call throws. */
export async function keysOfPassword(
  { calls, environment }: MasterPorts,
  { email: typed, password }: { readonly email: string; readonly password: string },
): Promise<PasswordKeys> {
  const email = await emailFor(calls, typed)
  const { body: kdf } = await calls.call('kdf', { body: { email } })
  if (kdf.kdf_version !== KDF_VERSION) throw new AccountError('kdf_unknown')
  const salt = fromBase64(kdf.salt)
  if (salt.length !== SALT_BYTES || salt.every((byte) => byte === salt[0])) throw new AccountError('salt_refused')
  const master = await environment.masterOfPassword(password, passwordSalt(email, salt))
  return { email, master, seed: signInKeySeed(master) }
}

export interface OwnPasswordPorts extends MasterPorts {
  /** The owner's, normalised: a server that could name another would choose all of the salt. */
  readonly email: string
}

/** The keys of the signed-in account's password, typed once more. Throws what `keysOfPassword` throws. */
export function presentKeys({ email, ...ports }: OwnPasswordPorts, password: string): Promise<PasswordKeys> {
  return keysOfPassword(ports, { email, password })
}
