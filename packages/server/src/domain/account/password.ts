import type { Clock } from '../../ports/clock.ts'
import { type Account, accountLock, type Store } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { isSame } from '../ground/sameBytes.ts'
import { sha256 } from '../ground/sha256.ts'
import type { Accounts } from './accounts.ts'
import type { FactorCodes } from './factorCodes.ts'
import { KDF_VERSION, kdfVersionFault } from './kdf.ts'
import { isKey, type KeyHash, weakKey } from './proofs.ts'
import type { Caller } from './sessions.ts'
import { replaceSignInKey } from './signInKeyChange.ts'

/** A value that is undefined stays as it is. */
export interface PasswordChange {
  readonly provedKey: KeyHash
  /** Of the second factor, as it was typed. */
  readonly code: string | undefined
  /** The new one: the public half. */
  readonly signInKey: Uint8Array
  readonly kdfVersion: number | undefined
  readonly salt: Uint8Array | undefined
  readonly sealedAccountKey: Uint8Array | undefined
  readonly source: string | undefined
}

interface PasswordPorts {
  readonly store: Store
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'requireSignInKey'>
  readonly codes: FactorCodes
}

export type ChangePassword = ReturnType<typeof createChangePassword>

export function createChangePassword({ store, clock, accounts, codes }: PasswordPorts) {
  /**
   * Sets another sign-in key when the present one was proved, and a code where a second factor is on. Ends every other
   * session, and every sign-in that waits for its second step, as a thief may have begun it. The account key stays the
   * same, so the recovery words still open it. Touches no file.
   */
  return async function changePassword(
    { account, sessionId }: Caller,
    change: PasswordChange,
  ): Promise<Refuses<'request_malformed' | 'credentials_wrong' | 'attempts_limited' | 'totp_code_wrong'> | undefined> {
    const { accountId } = account
    const { provedKey, code, kdfVersion = KDF_VERSION, source } = change
    const signInKeyHash = sha256(change.signInKey)
    const detail = kdfVersionFault(kdfVersion) ?? weakKey('/sign_in_key', change.signInKey)?.detail
    if (detail !== undefined) return { refused: 'request_malformed', detail }
    // Each request checks one key, so a repeat does not give a second guess.
    if (isRepeat(account, change)) return accounts.requireSignInKey(account, signInKeyHash, source)
    const refused = await accounts.requireSignInKey(account, provedKey, source)
    if (refused !== undefined) return refused
    const { salt = account.salt, sealedAccountKey = account.sealedAccountKey } = change
    const values = { signInKeyHash, kdfVersion, salt, sealedAccountKey }
    const replacement = { accountId, from: provedKey, values, at: clock.now(), except: sessionId }
    const answer = await codes.checkIfGiven(accountId, { code, source }, (canonical) =>
      store.write([accountLock(accountId)], async (tx) => {
        // The client may have sent the request twice, and the first one won. The second has proved the key that was
        // right then, and its code is used up.
        const present = await tx.accounts.find(accountId)
        if (present !== undefined && isRepeat(present, change) && isKey(present.signInKeyHash, signInKeyHash))
          return 'changed'
        // Another change that won is no fault of the code: `replaceSignInKey` refuses then.
        const isStill = isKey(present?.signInKeyHash, provedKey)
        if (isStill && !(await codes.mayAct(tx, accountId, canonical))) return 'wrong'
        return (await replaceSignInKey(tx, replacement)) ? 'changed' : ({ refused: 'credentials_wrong' } as const)
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
