import type { AccountId, DeviceId, Instant } from '@blindkeep/protocol/ids'
import { counter, given, inner, later, optional, type Row } from '../columns.ts'

/**
 * Each records that the first step of a sign-in or recovery was proved, until a code of the second factor completes it.
 */
export const challenges = {
  /** SHA-256 of the client's token, hex. The server does not keep the token itself. */
  tokenHash: given<string>(),
  accountId: given<AccountId>(),
  deviceId: optional<DeviceId>(),
  /** JSON of the values that a recovery sets when the challenge is passed; absent for a sign-in. */
  recovery: optional<string>(),
  createdAt: given<Instant>(),
  expiresAt: given<Instant>(),
  attempts: inner(counter()),
  usedAt: inner(later<Instant>()),
}

export type Challenge = Row<typeof challenges>
