/** Sessions of signed-in clients. */
import type { AccountId, DeviceId, Instant, PasskeyId, SessionId } from '@blindkeep/protocol/ids'
import { given, inner, later, optional, type Row } from '../columns.ts'

export const sessions = {
  sessionId: given<SessionId>(),
  accountId: given<AccountId>(),
  deviceId: optional<DeviceId>(),
  /** The passkey that opened it. */
  passkeyId: optional<PasskeyId>(),
  createdAt: given<Instant>(),
  lastUsedAt: given<Instant>(),
  expiresAt: given<Instant>(),
  endedAt: optional<Instant>(),
  /** The owner's name for it. Every request looks for its session, and only a list shows names. */
  sealedName: inner(later<Uint8Array>()),
}

export const refreshTokens = {
  /** SHA-256: the server does not keep the token. */
  tokenHash: given<Uint8Array>(),
  sessionId: given<SessionId>(),
  issuedAt: given<Instant>(),
  usedAt: optional<Instant>(),
}

export type Session = Row<typeof sessions>
export type RefreshToken = Row<typeof refreshTokens>

export interface ListedSession extends Session {
  readonly sealedName: Uint8Array | undefined
}
