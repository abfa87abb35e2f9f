import type { AccountId, Instant } from '@blindkeep/protocol/ids'

/** What an account is asked for beside its secret. */
export interface SecondFactor {
  /** The TOTP secret (RFC 6238), sealed under the master secret. */
  readonly sealedSecret: Uint8Array
  /** Undefined while it is only enrolled: it is not asked for then. */
  readonly confirmedAt: Instant | undefined
}

export interface SecondFactorReads {
  /** Undefined when none is enrolled. */
  find(accountId: AccountId): Promise<SecondFactor | undefined>
}

export interface SecondFactorWrites {
  /** Puts the secret in the place of one that waits to be confirmed. False, and nothing changed, when one is confirmed, or the account was deleted. */
  enroll(accountId: AccountId, sealedSecret: Uint8Array): Promise<boolean>
  /** False, and nothing changed, when none waits to be confirmed. */
  confirm(accountId: AccountId, at: Instant): Promise<boolean>
  /**
   * Uses up a time step, and with it all before it: one conditional statement. False when it was used up. Steps stay used up over `enroll`, `confirm` and
   * `remove`.
   */
  useStep(accountId: AccountId, step: number): Promise<boolean>
  /** Takes the factor away, confirmed or not, with its backup codes. */
  remove(accountId: AccountId): Promise<void>
  /** Lets every step be used again; for a clock that has been ahead. */
  forgetSteps(accountId: AccountId): Promise<void>
  /** Puts these in the place of all backup codes of the account. */
  setBackupCodes(accountId: AccountId, codeHashes: readonly string[]): Promise<void>
  /** One conditional statement. False when it was used before, or the account has no such code. */
  useBackupCode(accountId: AccountId, codeHash: string, at: Instant): Promise<boolean>
}
