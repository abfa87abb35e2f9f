import type { AccountId, AlbumId, Instant, Jti, SessionId } from '@blindkeep/protocol/ids'
import { given, inner, later, optional, type Row, sequence } from '../columns.ts'

/** Capability tokens that the server issued to owners. The server does not keep the tokens themselves. */
export const capabilities = {
  /** The order in which they were issued. */
  capabilitySeq: sequence(),
  jti: given<Jti>(),
  accountId: given<AccountId>(),
  albumId: given<AlbumId>(),
  /** Which session asked for it. Absent in a row of an earlier build. */
  sessionId: optional<SessionId>(),
  /** The origin of the peer that may use it. */
  peer: given<string>(),
  issuedAt: given<Instant>(),
  expiresAt: given<Instant>(),
  revokedAt: inner(later<Instant>()),
}

export type Capability = Row<typeof capabilities>
export type RevokedCapability = Pick<Capability, 'jti' | 'expiresAt'>
