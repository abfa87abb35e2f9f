import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { RefusedBecause } from '@blindkeep/protocol/schemas/accounts'

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
  /** When its owner deleted it: the row stays without anything about a person. */
  readonly deletedAt: Instant | undefined
  /** Bytes charged: open upload sessions, pending drops and the assets' blobs. */
  readonly usedBytes: number
  /** The account's own limits. They replace the deployment's. */
  readonly softLimitBytes: number | undefined
  readonly hardLimitBytes: number | undefined
  /** Since when `usedBytes` has been at or over the hard limit. */
  readonly exceededSince: Instant | undefined
  /** Since when a sign-in needs the second factor. */
  readonly totpConfirmedAt: Instant | undefined
}

export type NewAccount = Omit<
  Account,
  'suspendedAt' | 'deletedAt' | 'usedBytes' | 'softLimitBytes' | 'hardLimitBytes' | 'exceededSince' | 'totpConfirmedAt'
>

/** What a client needs to sign in and to open the account key. Always replaced together. */
export type AccountSecret = Pick<Account, 'secretHash' | 'kdfVersion' | 'salt' | 'sealedAccountKey'>

/** An account's own limits, in bytes. Undefined: the deployment's limit applies. */
export type OwnLimits = Pick<Account, 'softLimitBytes' | 'hardLimitBytes'>

/** What its quota depends on. */
export type AccountUse = OwnLimits & Pick<Account, 'accountId' | 'usedBytes' | 'exceededSince'>

/** Whether an account is there for others. */
export type AccountStanding = Pick<Account, 'suspendedAt' | 'deletedAt'>

/** Guests' files that an account had no room for, within an hour. */
export interface Refusals {
  readonly why: RefusedBecause
  readonly count: number
  readonly firstAt: Instant
  readonly lastAt: Instant
}

export interface AccountReads {
  find(accountId: AccountId): Promise<Account | undefined>
  standing(accountId: AccountId): Promise<AccountStanding | undefined>
  /** The last ones; undefined if there were none. */
  refusals(accountId: AccountId): Promise<Refusals | undefined>
  /** No deleted account. Takes as long for an unknown e-mail: a client that guesses addresses learns nothing from the time. */
  findByEmail(email: string): Promise<Account | undefined>
  /** At most `max` accounts in the order of their e-mails, from the first one after `afterEmail`. No deleted accounts. */
  list(page: { readonly afterEmail: string | undefined; readonly max: number }): Promise<readonly Account[]>
}

export interface AccountWrites {
  /** False if the e-mail is taken. */
  insert(account: NewAccount): Promise<boolean>
  /**
   * Replaces the secret and removes a second factor that is not confirmed: it may have been enrolled with the old secret. False, and nothing changed, if
   * the hash of the present secret is not `from`. One conditional statement.
   */
  changeSecret(accountId: AccountId, from: string, secret: AccountSecret): Promise<boolean>
  /**
   * Adds `bytes` to the use. Undefined, and nothing changed, if the use would exceed the account's own hard limit, or `hardLimitBytes` if it has none (undefined:
   * no limit), or if the account was deleted. One conditional statement.
   */
  charge(accountId: AccountId, bytes: number, hardLimitBytes: number | undefined): Promise<AccountUse | undefined>
  /** Subtracts `bytes` from the use. Throws if the use would fall below zero: then the rows contradict each other. */
  refund(accountId: AccountId, bytes: number): Promise<AccountUse>
  /**
   * Counts a refusal with the last ones, or as the first if they are of another reason, or their first was before `since`. Answers what it counts now; undefined
   * if there is no such account, or it was deleted.
   */
  noteRefusal(
    accountId: AccountId,
    refusal: { readonly why: RefusedBecause; readonly at: Instant; readonly since: Instant },
  ): Promise<Refusals | undefined>
  setExceededSince(accountId: AccountId, since: Instant | undefined): Promise<void>
  /** Sets both limits; undefined removes one. */
  setLimits(accountId: AccountId, limits: OwnLimits): Promise<void>
  /** Suspends the account since `since`, or ends its suspension if undefined. False, and nothing changed, if it is already so. */
  setSuspended(accountId: AccountId, since: Instant | undefined): Promise<boolean>
}
