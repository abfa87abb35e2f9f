import { type Bytes, toBase64 } from '@blindkeep/protocol/bytes'
import { SALT_BYTES } from '@blindkeep/protocol/suites'
import type { Environment } from '../ground/environment.ts'
import { accountWrapKey, authenticationSecret, NO_CONTEXT, passwordSalt } from '../seal/derive.ts'
import { sealSmall } from '../seal/seal.ts'
import { type Identity, KDF_VERSION } from './masterOf.ts'

/** What the server stores for a new password: its proof, and the account key sealed under it. */
export interface PasswordMembers {
  readonly password: string
  readonly kdf_version: number
  readonly salt: string
  readonly sealed_account_key: string
}

export interface NewPassword extends Identity {
  readonly password: string
  readonly accountKey: Bytes
}

/** Uses a new salt. Takes 64 MiB and about a second. */
export async function newPassword(
  { randomBytes, masterOfPassword }: Pick<Environment, 'randomBytes' | 'masterOfPassword'>,
  { email, serverId, password, accountKey }: NewPassword,
): Promise<PasswordMembers> {
  const salt = randomBytes(SALT_BYTES)
  const master = await masterOfPassword(password, passwordSalt(email, salt))
  return {
    password: toBase64(authenticationSecret(master, serverId)),
    kdf_version: KDF_VERSION,
    salt: toBase64(salt),
    sealed_account_key: toBase64(await sealSmall(accountKey, accountKeySeal(master))),
  }
}

/** The account key has no id, so its context is empty. */
export function accountKeySeal(master: Bytes) {
  return { key: accountWrapKey(master), purpose: 'account-key', contextId: NO_CONTEXT } as const
}
