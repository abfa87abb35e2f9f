import type { AccountId, AlbumId, Instant, Jti } from '@blindkeep/protocol/ids'

/** A capability token that was minted; the token itself is not kept. */
export interface Capability {
  readonly jti: Jti
  readonly accountId: AccountId
  readonly albumId: AlbumId
  /** The origin that it is made out to. */
  readonly peer: string
  readonly issuedAt: Instant
  readonly expiresAt: Instant
}

export interface RevokedCapability {
  readonly jti: Jti
  readonly expiresAt: Instant
}

/** One has ended from its `expiresAt` on, and is live until then unless it was revoked. */
export interface CapabilityReads {
  /** Live at `at`, oldest first. */
  liveOf(albumId: AlbumId, at: Instant): Promise<readonly Capability[]>
  /** How many of an account have not ended at `at`: those that are live, and all, revoked ones too. */
  count(accountId: AccountId, at: Instant): Promise<{ readonly live: number; readonly all: number }>
  /** Revoked and not ended at `at`, soonest end first. */
  revoked(at: Instant): Promise<readonly RevokedCapability[]>
}

export interface CapabilityWrites {
  insert(capability: Capability): Promise<void>
  /** Changes nothing when the album has no such one, or it was revoked before. */
  revoke(jti: Jti, albumId: AlbumId, at: Instant): Promise<void>
  /** Revokes all that are live at `at`, of every account. */
  revokeAll(at: Instant): Promise<void>
  /** Forgets those that have ended at `at`, as many as `most`. */
  prune(at: Instant, most: number): Promise<void>
}
