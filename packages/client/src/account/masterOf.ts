import { type Bytes, fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import type { Environment } from '../environment.ts'
import type { Call } from '../http/call.ts'
import { authenticationSecret } from '../seal/derive.ts'
import { AccountError } from './accountError.ts'

/** Argon2id with 64 MiB, 3 passes, 1 lane. A server that could name another would choose one that it can guess against. */
export const KDF_VERSION = 1

interface MasterPorts {
  readonly call: Call
  readonly environment: Environment
}

/** The master secret behind a password of an account. Asks the server for the salt; takes 64 MiB and about a second. Throws `AccountError`. */
export async function masterOf(
  { call, environment }: MasterPorts,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Bytes> {
  const { body: kdf } = await call('kdf', { body: { email } })
  if (kdf.kdf_version !== KDF_VERSION) throw new AccountError('kdf_unknown')
  return environment.masterOfPassword(password, fromBase64(kdf.salt))
}

/** What proves the password once more, of whoever is signed in: as the server takes it, base64. */
export async function presentSecret(ports: MasterPorts, password: string): Promise<string> {
  const { body: account } = await ports.call('account')
  return toBase64(authenticationSecret(await masterOf(ports, { email: account.email, password })))
}
