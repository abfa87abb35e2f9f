import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { RefusedBecause } from '@blindkeep/protocol/schemas/accounts'
import { counter, given, inner, later, type New, optional, type Row } from '../columns.ts'

export const accounts = {
  accountId: given<AccountId>(),
  /** Trimmed, lower case. Unique. */
  email: given<string>(),
  /** SHA-256 of the public key that the client derived from the password. Absent in a deleted account alone. */
  signInKeyHash: optional<Uint8Array>(),
  kdfVersion: given<number>(),
  salt: optional<Uint8Array>(),
  sealedAccountKey: optional<Uint8Array>(),
  sealedRecoveryKey: optional<Uint8Array>(),
  /** SHA-256 of the public key that the client derived from the recovery words. */
  recoveryKeyHash: optional<Uint8Array>(),
  /** When its owner proved it first. Until then its words may be written down nowhere. */
  recoveryConfirmedAt: later<Instant>(),
  createdAt: given<Instant>(),
  suspendedAt: later<Instant>(),
  /** When its owner deleted it: the row stays without anything about a person. */
  deletedAt: later<Instant>(),
  /** When a deleted account became empty. */
  emptiedAt: inner(later<Instant>()),
  /** Bytes charged: open upload sessions, pending drops and the assets' blobs. */
  usedBytes: counter(),
  /** How many rows of `drops` the account has. Only `drops.ts` changes it. */
  pendingDrops: inner(counter()),
  /** The account's own limits. They replace the deployment's. */
  softLimitBytes: later<number>(),
  hardLimitBytes: later<number>(),
  /** Since when `usedBytes` has been at or over the hard limit. */
  exceededSince: later<Instant>(),
  /** The number of the account's last change. Only `changes.ts` raises it. */
  changeSeq: inner(counter()),
  /** The TOTP secret (RFC 6238), sealed under the master secret. */
  totpSealed: inner(later<Uint8Array>()),
  /** Since when a sign-in needs the second factor. */
  totpConfirmedAt: later<Instant>(),
  /** The last time step whose code was accepted. */
  totpLastStep: inner(later<number>()),
  /** Guests' files for which there was no room, within an hour. */
  refusedWhy: inner(later<RefusedBecause>()),
  refusedCount: inner(counter()),
  refusedFirstAt: inner(later<Instant>()),
  refusedLastAt: inner(later<Instant>()),
}

export const backupCodes = {
  accountId: given<AccountId>(),
  /** HMAC of the code under a secret of the server. */
  codeHash: given<string>(),
  usedAt: later<Instant>(),
}

export type Account = Row<typeof accounts>
export type NewAccount = New<typeof accounts>

/** What a client needs to sign in and to open the account key. Always replaced together. */
export interface SignInValues extends Pick<Account, 'kdfVersion' | 'salt' | 'sealedAccountKey'> {
  readonly signInKeyHash: Uint8Array
}

/** What the recovery words open, and the hash of their key. Always replaced together. */
export interface RecoveryValues {
  readonly sealedRecoveryKey: Uint8Array
  readonly recoveryKeyHash: Uint8Array
}

/** An account's own limits, in bytes. Absent: the deployment's limit applies. */
export type OwnLimits = Pick<Account, 'softLimitBytes' | 'hardLimitBytes'>

/** What its quota depends on. */
export type AccountUse = OwnLimits & Pick<Account, 'accountId' | 'usedBytes' | 'exceededSince'>

/** Whether an account is there for others. */
export type AccountStanding = Pick<Account, 'suspendedAt' | 'deletedAt'>
