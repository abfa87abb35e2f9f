import type { AccountId, Instant } from '@blindkeep/protocol/ids'

export interface Account {
  readonly accountId: AccountId
  /** Trimmed, lower case. Unique. */
  readonly email: string
  /** The server's own hash of the authentication secret, in the PHC string format. */
  readonly secretHash: string
  readonly kdfVersion: number
  readonly salt: Uint8Array | undefined
  readonly sealedAccountKey: Uint8Array | undefined
  readonly sealedRecoveryKey: Uint8Array | undefined
  /** SHA-256 of the recovery proof. */
  readonly recoveryProofHash: Uint8Array | undefined
  readonly createdAt: Instant
  readonly suspendedAt: Instant | undefined
  /** When its owner deleted it: the row stays without anything that names or lets in a person. */
  readonly deletedAt: Instant | undefined
  /** Bytes charged: open sessions, pending drops and assets' objects. */
  readonly usedBytes: number
  /** The account's own limits, before the deployment's. */
  readonly softLimitBytes: number | undefined
  readonly hardLimitBytes: number | undefined
  /** Since when `usedBytes` has been at or over the hard limit. */
  readonly exceededSince: Instant | undefined
  /** Since when a second factor is asked for. */
  readonly totpConfirmedAt: Instant | undefined
}

export type NewAccount = Omit<
  Account,
  'suspendedAt' | 'deletedAt' | 'usedBytes' | 'softLimitBytes' | 'hardLimitBytes' | 'exceededSince' | 'totpConfirmedAt'
>

/** What signing in and opening the account key take, all of it replaced together. */
export type AccountSecret = Pick<Account, 'secretHash' | 'kdfVersion' | 'salt' | 'sealedAccountKey'>

/** Limits of an account's own, in bytes. Undefined leaves the deployment's. */
export type OwnLimits = Pick<Account, 'softLimitBytes' | 'hardLimitBytes'>

export interface AccountReads {
  find(accountId: AccountId): Promise<Account | undefined>
  /** None that was deleted. */
  /** Takes as long for an e-mail that no account has: strangers ask, and measure. */
  findByEmail(email: string): Promise<Account | undefined>
  /** By e-mail, without those that were deleted; those after `afterEmail` alone when it is given; `most` of them. */
  list(page: { readonly afterEmail: string | undefined; readonly most: number }): Promise<readonly Account[]>
}

export interface AccountWrites {
  /** False when the e-mail is taken. */
  insert(account: NewAccount): Promise<boolean>
  /**
   * Sets all of it, and forgets a second factor that waits to be confirmed, as who knew the old secret may have enrolled it. False, and nothing
   * changed, when the secret's hash is not `from` any more: one conditional statement.
   */
  changeSecret(accountId: AccountId, from: string, secret: AccountSecret): Promise<boolean>
  /**
   * Adds `bytes` to the use if it then stays at or below `hardLimitBytes` (no limit when undefined): one conditional statement.
   * False when it would pass the limit, or the account was deleted; nothing is changed then.
   */
  charge(accountId: AccountId, bytes: number, hardLimitBytes: number | undefined): Promise<boolean>
  /** Takes `bytes` off the use. Throws if it would fall below zero: the books are wrong then. */
  refund(accountId: AccountId, bytes: number): Promise<void>
  setExceededSince(accountId: AccountId, since: Instant | undefined): Promise<void>
  /** Both at once: what is undefined is taken away. */
  setLimits(accountId: AccountId, limits: OwnLimits): Promise<void>
  /** Suspends since then, or no more when undefined. False, and nothing changed, when it is suspended already, or was not. */
  setSuspended(accountId: AccountId, since: Instant | undefined): Promise<boolean>
}
