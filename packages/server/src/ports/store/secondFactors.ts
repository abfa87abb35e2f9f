import type { AccountId, Instant } from '@blindkeep/protocol/ids'

/** What a sign-in needs beside the account's secret. */
export interface SecondFactor {
  /** The TOTP secret (RFC 6238), sealed under the master secret. */
  readonly sealedSecret: Uint8Array
  /** Undefined while it is only enrolled: a sign-in does not need it then. */
  readonly confirmedAt: Instant | undefined
}

export interface SecondFactorReads {
  /** Undefined if none is enrolled. */
  find(accountId: AccountId): Promise<SecondFactor | undefined>
}

export interface SecondFactorWrites {
  /** Stores the secret; replaces an unconfirmed one. False, and nothing changed, if one is confirmed or the account was deleted. */
  enroll(accountId: AccountId, sealedSecret: Uint8Array): Promise<boolean>
  /** False, and nothing changed, if there is no unconfirmed one. */
  confirm(accountId: AccountId, at: Instant): Promise<boolean>
  /**
   * Uses up a time step and all steps before it. False if the step was used up. `enroll`, `confirm` and `remove` do not change which steps are used up. One
   * conditional statement.
   */
  useStep(accountId: AccountId, step: number): Promise<boolean>
  /** Removes the factor, confirmed or not, and its backup codes. */
  remove(accountId: AccountId): Promise<void>
  /** Makes every step usable again: needed after the clock was ahead. */
  forgetSteps(accountId: AccountId): Promise<void>
  /** Replaces all backup codes of the account. */
  setBackupCodes(accountId: AccountId, codeHashes: readonly string[]): Promise<void>
  /** False if the code was used before, or the account has no such code. One conditional statement. */
  useBackupCode(accountId: AccountId, codeHash: string, at: Instant): Promise<boolean>
}
