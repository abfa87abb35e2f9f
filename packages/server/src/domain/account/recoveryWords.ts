/** Other recovery words for a signed-in owner, and the proof that the owner has the present ones. */
import type { Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import { type Account, accountLock, type RecoveryValues, type Store } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { isSame } from '../ground/sameBytes.ts'
import { sha256 } from '../ground/sha256.ts'
import type { Accounts } from './accounts.ts'
import { type AttemptSettings, createAttemptLimits } from './attemptLimits.ts'
import type { FactorCodes } from './factorCodes.ts'
import { isKey, type KeyHash, weakKey } from './proofs.ts'

export interface WordsChange {
  /** That of the password. */
  readonly provedKey: KeyHash
  /** When the owner began the change, by the nonce of its proof. */
  readonly askedAt: Instant
  /** Of the second factor, as it was typed. */
  readonly code: string | undefined
  /** That of the new words: the public half. */
  readonly recoveryKey: Uint8Array
  readonly sealedRecoveryKey: Uint8Array
  readonly source: string | undefined
}

export interface WordsConfirmation {
  /** That of the words. */
  readonly provedKey: KeyHash
  readonly source: string | undefined
}

interface WordsPorts {
  readonly store: Store
  readonly clock: Clock
  readonly limiter: Limiter
  readonly accounts: Pick<Accounts, 'requireSignInKey'>
  readonly codes: FactorCodes
}

export type RecoveryWords = ReturnType<typeof createRecoveryWords>

export function createRecoveryWords({ store, clock, limiter, accounts, codes }: WordsPorts, settings: AttemptSettings) {
  const attemptLimits = createAttemptLimits({ limiter }, settings)

  return {
    /**
     * Replaces the words when the present sign-in key was proved, and a code where a second factor is on. The old ones
     * end in the same transaction, and with them every recovery that waits for its second step. A repeat needs no
     * second code.
     */
    async change(
      account: Account,
      { provedKey, askedAt, code, recoveryKey, sealedRecoveryKey, source }: WordsChange,
    ): Promise<
      | Refuses<'request_malformed' | 'credentials_wrong' | 'proof_invalid' | 'attempts_limited' | 'totp_code_wrong'>
      | undefined
    > {
      const { accountId } = account
      const values = { sealedRecoveryKey, recoveryKeyHash: sha256(recoveryKey) }
      const refused =
        weakKey('/recovery_key', recoveryKey) ?? (await accounts.requireSignInKey(account, provedKey, source))
      if (refused !== undefined) return refused
      const answer = await codes.checkIfGiven(accountId, { code, source }, (canonical) =>
        store.write([accountLock(accountId)], async (tx) => {
          const present = await tx.accounts.find(accountId)
          if (present === undefined || !isKey(present.signInKeyHash, provedKey))
            return { refused: 'credentials_wrong' } as const
          if (isRepeat(present, values)) return 'changed'
          if (isOvertaken(present, askedAt, clock.now())) return { refused: 'proof_invalid' } as const
          if (!(await codes.mayAct(tx, accountId, canonical))) return 'wrong'
          await tx.accounts.changeRecoveryKey(accountId, values)
          await tx.challenges.removeOlderRecoveriesOf(accountId, 0)
          return 'changed'
        }),
      )
      if (answer === 'changed') return undefined
      return isRefusal(answer) ? answer : { refused: 'totp_code_wrong' }
    },

    /** Notes that the owner has the words. Only their key proves it: a stolen session cannot silence the reminder. */
    async confirm(
      { accountId, email }: Pick<Account, 'accountId' | 'email'>,
      { provedKey, source }: WordsConfirmation,
    ): Promise<Refuses<'recovery_invalid' | 'attempts_limited'> | undefined> {
      const limited = await attemptLimits.countAttempt(source)
      if (limited !== undefined) return limited
      const isRight = await attemptLimits.check(
        attemptLimits.forRecoveryKeys(email, source),
        () =>
          store.write([accountLock(accountId)], async (tx) => {
            if (!isKey((await tx.accounts.find(accountId))?.recoveryKeyHash, provedKey)) return false
            await tx.accounts.confirmRecoveryKey(accountId, provedKey, clock.now())
            return true
          }),
        (answer) => !answer,
      )
      if (isRefusal(isRight)) return isRight
      return isRight ? undefined : { refused: 'recovery_invalid' }
    },
  }
}

/**
 * The request was on its way while the owner confirmed the present words: these are written down, and its own may be
 * nowhere. A time that is yet to come says nothing: the clock was set back.
 */
function isOvertaken({ recoveryConfirmedAt: confirmedAt }: Account, askedAt: Instant, now: Instant): boolean {
  return confirmedAt !== undefined && askedAt < confirmedAt && confirmedAt <= now
}

/** A client seals the account key again for each change: with equal values, only the answer was lost. */
function isRepeat(account: Account, values: RecoveryValues): boolean {
  return (
    isSame(values.sealedRecoveryKey, account.sealedRecoveryKey) &&
    isSame(values.recoveryKeyHash, account.recoveryKeyHash)
  )
}
