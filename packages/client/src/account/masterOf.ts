import { type Bytes, fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import type { Environment } from '../environment.ts'
import type { Call } from '../http/call.ts'
import { authenticationSecret } from '../seal/derive.ts'
import { AccountError } from './accountError.ts'

/** Argon2id with 64 MiB, 3 passes, 1 lane. Fixed: a server that could choose another would choose a weak one. */
export const KDF_VERSION = 1

interface MasterPorts {
  readonly call: Call
  readonly environment: Environment
}

/**
 * The master secret of an account's password. Asks the server for the salt. Takes 64 MiB and about a second. Throws `AccountError`, and what a call
 * throws.
 */
export async function masterOf(
  { call, environment }: MasterPorts,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Bytes> {
  const { body: kdf } = await call('kdf', { body: { email } })
  if (kdf.kdf_version !== KDF_VERSION) throw new AccountError('kdf_unknown')
  return environment.masterOfPassword(password, fromBase64(kdf.salt))
}

/** Proves the password of the signed-in account once more: base64, as the server expects it. Throws what `masterOf` throws. */
export async function presentSecret(ports: MasterPorts, password: string): Promise<string> {
  const { body: account } = await ports.call('account')
  return toBase64(authenticationSecret(await masterOf(ports, { email: account.email, password })))
}
