import type { Clock } from '../../ports/clock.ts'
import type { SecretHasher } from '../../ports/secrets.ts'
import { type Account, accountLock, type Store } from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'
import { isSame } from '../sameBytes.ts'
import type { Accounts } from './accounts.ts'
import { KDF_VERSION, kdfVersionFault } from './kdf.ts'
import { replaceSecret } from './secretChange.ts'
import type { Caller } from './sessions.ts'

/** A value that is undefined stays as it is. */
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
   * Sets another secret when the present one is right. Ends every other session, and every sign-in that waits for its second step, as a thief may have
   * begun it. The account key stays the same, so the recovery words still open it. Touches no file.
   */
  return async function changePassword(
    { account, sessionId }: Caller,
    change: PasswordChange,
  ): Promise<Refuses<'request_malformed' | 'credentials_wrong' | 'attempts_limited'> | undefined> {
    const { accountId } = account
    const { currentSecret, secret, kdfVersion = KDF_VERSION, source } = change
    const detail = kdfVersionFault(kdfVersion)
    if (detail !== undefined) return { refused: 'request_malformed', detail }
    // Each request checks one secret, so a repeat does not give a second guess.
    if (isRepeat(account, change)) return accounts.requireSecret(account, secret, source)
    const refused = await accounts.requireSecret(account, currentSecret, source)
    if (refused !== undefined) return refused
    const secretHash = await hasher.hash(secret, source)
    const { salt = account.salt, sealedAccountKey = account.sealedAccountKey } = change
    return store.write([accountLock(accountId)], async (tx) => {
      const next = { secretHash, kdfVersion, salt, sealedAccountKey }
      const replacement = { accountId, from: account.secretHash, secret: next, at: clock.now(), except: sessionId }
      if (await replaceSecret(tx, replacement)) return undefined
      // The client may have sent the request twice, and the first one won. The second has proved the secret that was right then.
      const present = await tx.accounts.find(accountId)
      return present !== undefined && isRepeat(present, change) ? undefined : { refused: 'credentials_wrong' }
    })
  }
}

/**
 * A client makes a new salt and seals the account key again for each change. So when the account already has both values, this request set them before
 * and its answer was lost. One equal value proves nothing, because a change may leave the other value out.
 */
function isRepeat(account: Account, { salt, sealedAccountKey }: PasswordChange): boolean {
  if (salt === undefined || sealedAccountKey === undefined) return false
  return isSame(salt, account.salt) && isSame(sealedAccountKey, account.sealedAccountKey)
}
