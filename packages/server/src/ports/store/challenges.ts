import type { AccountId, DeviceId, Instant } from '@blindkeep/protocol/ids'

/** What a first step has proved, until the second one. */
export interface Challenge {
  /** SHA-256 of the token that the client holds, hex: the token itself is not kept. */
  readonly tokenHash: string
  readonly accountId: AccountId
  readonly deviceId: DeviceId | undefined
  /** JSON of what a recovery will set when the challenge is met; undefined for a sign-in. */
  readonly recovery: string | undefined
  readonly createdAt: Instant
  readonly expiresAt: Instant
}

export interface ChallengeReads {
  /** Also one that is over, until it is pruned. */
  find(tokenHash: string): Promise<Challenge | undefined>
}

export interface ChallengeWrites {
  insert(challenge: Challenge): Promise<void>
  /** Counts a try of one that is open at `at`, of at most `attemptsMax`: one conditional statement. False when it is over, and nothing is changed then. */
  countAttempt(tokenHash: string, limits: { readonly at: Instant; readonly attemptsMax: number }): Promise<boolean>
  /** Takes one that is open at `at`: one conditional statement. False when it was taken before, has expired, or is not known. */
  take(tokenHash: string, at: Instant): Promise<boolean>
  /** Removes all of an account: what they have proved is so no more. */
  removeOf(accountId: AccountId): Promise<void>
  /** Forgets those that have expired at `at`, as many as `most`. */
  prune(at: Instant, most: number): Promise<void>
}
