import { type Bytes, fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { normaliseEmail } from '@blindkeep/protocol/email'
import { SALT_BYTES } from '@blindkeep/protocol/suites'
import type { Environment } from '../ground/environment.ts'
import type { Calls } from '../http/call.ts'
import { serverIdOf } from '../http/ownAddress.ts'
import { authenticationSecret, passwordSalt } from '../seal/derive.ts'
import { AccountError } from './accountError.ts'

/** Argon2id with 64 MiB, 3 passes, 1 lane. Fixed: a server that could choose another would choose a weak one. */
export const KDF_VERSION = 1

/** Where a password is valid. */
export interface Identity {
  /** Normalised. */
  readonly email: string
  readonly serverId: string
}

/** Throws `AccountError` for an e-mail that is not plain, before any request; otherwise what `serverIdOf` throws. */
export async function identityOf(calls: Calls, typed: string): Promise<Identity> {
  const email = normaliseEmail(typed)
  if (email === undefined) throw new AccountError('email_malformed')
  return { email, serverId: await serverIdOf(calls) }
}

export interface MasterPorts {
  readonly calls: Calls
  readonly environment: Environment
}

export interface Proven extends Identity {
  /** 32 bytes, SECRET; never leaves the client. */
  readonly master: Bytes
  /** Base64, as this server expects it in place of the password. */
  readonly secret: string
}

/** Asks for the salt; takes 64 MiB and a second. Throws `AccountError`, `AddressError`, and what a call throws. */
export async function provePassword(
  { calls, environment }: MasterPorts,
  { email: typed, password }: { readonly email: string; readonly password: string },
): Promise<Proven> {
  const identity = await identityOf(calls, typed)
  const { body: kdf } = await calls.call('kdf', { body: { email: identity.email } })
  if (kdf.kdf_version !== KDF_VERSION) throw new AccountError('kdf_unknown')
  const salt = fromBase64(kdf.salt)
  if (salt.length !== SALT_BYTES || salt.every((byte) => byte === salt[0])) throw new AccountError('salt_refused')
  const master = await environment.masterOfPassword(password, passwordSalt(identity.email, salt))
  return { ...identity, master, secret: toBase64(authenticationSecret(master, identity.serverId)) }
}

export interface OwnPasswordPorts extends MasterPorts {
  /** The owner's, normalised: a server that could name another would choose all of the salt. */
  readonly email: string
}

/** Proves the password of the signed-in account once more. Throws what `provePassword` throws. */
export function presentSecret({ email, ...ports }: OwnPasswordPorts, password: string): Promise<Proven> {
  return provePassword(ports, { email, password })
}
