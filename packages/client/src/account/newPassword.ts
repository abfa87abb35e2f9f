import { type Bytes, toBase64 } from '@blindkeep/protocol/bytes'
import { SALT_BYTES } from '@blindkeep/protocol/suites'
import type { Environment } from '../ground/environment.ts'
import { accountWrapKey, NO_CONTEXT, passwordSalt, signInKeySeed } from '../seal/derive.ts'
import { sealSmall } from '../seal/seal.ts'
import { KDF_VERSION } from './masterOf.ts'

/** What the server stores for a new password, besides the public sign-in key. */
interface PasswordMembers {
  readonly kdf_version: number
  readonly salt: string
  readonly sealed_account_key: string
}

export interface NewPassword {
  /** Normalised. */
  readonly email: string
  readonly password: string
  readonly accountKey: Bytes
}

/** Uses a new salt. `seed`: of the new sign-in key, 32 bytes, SECRET. Takes 64 MiB and about a second. */
export async function newPassword(
  { randomBytes, masterOfPassword }: Pick<Environment, 'randomBytes' | 'masterOfPassword'>,
  { email, password, accountKey }: NewPassword,
): Promise<{ readonly seed: Bytes; readonly members: PasswordMembers }> {
  const salt = randomBytes(SALT_BYTES)
  const master = await masterOfPassword(password, passwordSalt(email, salt))
  const sealed = await sealSmall(accountKey, accountKeySeal(master))
  const members = { kdf_version: KDF_VERSION, salt: toBase64(salt), sealed_account_key: toBase64(sealed) }
  return { seed: signInKeySeed(master), members }
}

/** The account key has no id, so its context is empty. */
export function accountKeySeal(master: Bytes) {
  return { key: accountWrapKey(master), purpose: 'account-key', contextId: NO_CONTEXT } as const
}
