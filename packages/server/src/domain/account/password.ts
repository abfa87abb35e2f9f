import type { Clock } from '../../ports/clock.ts'
import type { SecretHasher } from '../../ports/secrets.ts'
import { type Account, accountLock, type Store } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { isSame } from '../ground/sameBytes.ts'
import type { Accounts } from './accounts.ts'
import type { FactorCodes } from './factorCodes.ts'
import { KDF_VERSION, kdfVersionFault } from './kdf.ts'
import { replaceSecret } from './secretChange.ts'
import type { Caller } from './sessions.ts'

/** A value that is undefined stays as it is. */
export interface PasswordChange {
  readonly currentSecret: string
  /** Of the second factor, as it was typed. */
  readonly code: string | undefined
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
  readonly codes: FactorCodes
}

export type ChangePassword = ReturnType<typeof createChangePassword>

export function createChangePassword({ store, clock, hasher, accounts, codes }: PasswordPorts) {
  /**
   * Sets another secret when the present one is right, and a code where a second factor is on. Ends every other
   * session, and every sign-in that waits for its second step, as a thief may have begun it. The account key stays the
   * same, so the recovery words still open it. Touches no file.
   */
  return async function changePassword(
    { account, sessionId }: Caller,
    change: PasswordChange,
  ): Promise<Refuses<'request_malformed' | 'credentials_wrong' | 'attempts_limited' | 'totp_code_wrong'> | undefined> {
    const { accountId } = account
    const { currentSecret, secret, code, kdfVersion = KDF_VERSION, source } = change
    const detail = kdfVersionFault(kdfVersion)
    if (detail !== undefined) return { refused: 'request_malformed', detail }
    // Each request checks one secret, so a repeat does not give a second guess.
    if (isRepeat(account, change)) return accounts.requireSecret(account, secret, source)
    const refused = await accounts.requireSecret(account, currentSecret, source)
    if (refused !== undefined) return refused
    const secretHash = await hasher.hash(secret, source)
    const { salt = account.salt, sealedAccountKey = account.sealedAccountKey } = change
    const next = { secretHash, kdfVersion, salt, sealedAccountKey }
    const replacement = { accountId, from: account.secretHash, secret: next, at: clock.now(), except: sessionId }
    const answer = await codes.checkIfGiven(accountId, { code, source }, (canonical) =>
      store.write([accountLock(accountId)], async (tx) => {
        // The client may have sent the request twice, and the first one won. The second has proved the secret that was
        // right then, and its code is used up.
        const present = await tx.accounts.find(accountId)
        if (present !== undefined && isRepeat(present, change)) return 'changed'
        // Another change that won is no fault of the code: `replaceSecret` refuses then.
        const isStill = present?.secretHash === account.secretHash
        if (isStill && !(await codes.mayAct(tx, accountId, canonical))) return 'wrong'
        return (await replaceSecret(tx, replacement)) ? 'changed' : ({ refused: 'credentials_wrong' } as const)
      }),
    )
    if (answer === 'changed') return undefined
    return isRefusal(answer) ? answer : { refused: 'totp_code_wrong' }
  }
}

/**
 * A client makes a new salt and seals the account key again for each change. So when the account already has both
 * values, this request set them before and its answer was lost. One equal value proves nothing, because a change may
 * leave the other value out.
 */
function isRepeat(account: Account, { salt, sealedAccountKey }: PasswordChange): boolean {
  if (salt === undefined || sealedAccountKey === undefined) return false
  return isSame(salt, account.salt) && isSame(sealedAccountKey, account.sealedAccountKey)
}
