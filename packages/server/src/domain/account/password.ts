import type { Clock } from '../../ports/clock.ts'
import type { SecretHasher } from '../../ports/secrets.ts'
import type { Account, Store } from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'
import { isSame } from '../sameBytes.ts'
import { type Accounts, KDF_VERSION } from './accounts.ts'
import { replaceSecret } from './secretChange.ts'
import type { Caller } from './sessions.ts'

/** What is left out stays as it is. */
export interface PasswordChange {
  readonly currentSecret: string
  readonly secret: string
  readonly kdfVersion: number | undefined
  readonly salt: Uint8Array | undefined
  readonly sealedAccountKey: Uint8Array | undefined
  readonly source: string | undefined
}

interface PasswordPorts {
  readonly store: Store
  readonly clock: Clock
  readonly hasher: SecretHasher
  readonly accounts: Pick<Accounts, 'requireSecret'>
}

export type ChangePassword = ReturnType<typeof createChangePassword>

export function createChangePassword({ store, clock, hasher, accounts }: PasswordPorts) {
  /**
   * Sets another secret, for whoever knows the present one; whoever is signed in elsewhere, or about to be, may be a thief and is so no more.
   * The account key, and with it what the recovery words open, stays what it is. Touches no file.
   */
  return async function changePassword(
    { account, sessionId }: Caller,
    change: PasswordChange,
  ): Promise<Refuses<'request_malformed' | 'credentials_wrong' | 'attempts_limited'> | undefined> {
    const { accountId } = account
    const { currentSecret, secret, kdfVersion = KDF_VERSION, source } = change
    if (kdfVersion !== KDF_VERSION)
      return { refused: 'request_malformed', detail: `/kdf_version must be ${KDF_VERSION}` }
    // One secret is judged a request, so that a repeat is no second guess.
    if (isRepeat(account, change)) return accounts.requireSecret(account, secret, source)
    const refused = await accounts.requireSecret(account, currentSecret, source)
    if (refused !== undefined) return refused
    const secretHash = await hasher.hash(secret)
    const { salt = account.salt, sealedAccountKey = account.sealedAccountKey } = change
    return store.write(async (tx) => {
      const next = { secretHash, kdfVersion, salt, sealedAccountKey }
      const replacement = { accountId, from: account.secretHash, secret: next, at: clock.now(), except: sessionId }
      if (await replaceSecret(tx, replacement)) return undefined
      // A client that resends before the first answer has its own change in the way: it has proved the secret that was good then.
      const present = await tx.accounts.find(accountId)
      return present !== undefined && isRepeat(present, change) ? undefined : { refused: 'credentials_wrong' }
    })
  }
}

/**
 * A client makes a new salt for each change, and seals the key with another: where both are there already, this very request has set them, and its
 * answer was lost. One alone says nothing, as it may be left as it is.
 */
function isRepeat(account: Account, { salt, sealedAccountKey }: PasswordChange): boolean {
  if (salt === undefined || sealedAccountKey === undefined) return false
  return isSame(salt, account.salt) && isSame(sealedAccountKey, account.sealedAccountKey)
}
