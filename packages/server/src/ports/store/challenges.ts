import type { AccountId, DeviceId, Instant } from '@blindkeep/protocol/ids'

/** Records that the first step of a sign-in or recovery was proved, until a code of the second factor completes it. */
export interface Challenge {
  /** SHA-256 of the client's token, hex. The server does not keep the token itself. */
  readonly tokenHash: string
  readonly accountId: AccountId
  readonly deviceId: DeviceId | undefined
  /** JSON of the values that a recovery sets when the challenge is passed; undefined for a sign-in. */
  readonly recovery: string | undefined
  readonly createdAt: Instant
  readonly expiresAt: Instant
}

export interface ChallengeReads {
  /** Also finds a consumed or expired challenge, until it is pruned. */
  find(tokenHash: string): Promise<Challenge | undefined>
}

export interface ChallengeWrites {
  insert(challenge: Challenge): Promise<void>
  /**
   * Counts one attempt. False, and nothing changed, if the challenge was consumed, has expired at `at` or has had `attemptsMax` attempts. One conditional
   * statement.
   */
  countAttempt(tokenHash: string, limits: { readonly at: Instant; readonly attemptsMax: number }): Promise<boolean>
  /** A challenge works once. False if it was consumed before, has expired at `at` or is unknown. One conditional statement. */
  consume(tokenHash: string, at: Instant): Promise<boolean>
  /** Removes all challenges of an account, because their first step no longer proves anything. */
  removeOf(accountId: AccountId): Promise<void>
  /** Removes at most `max` that have expired at `at`. */
  prune(at: Instant, max: number): Promise<void>
}
