import type { AccountId, AlbumId, Instant, Jti, SessionId } from '@blindkeep/protocol/ids'

/** A capability token that the server issued to an owner. The server does not keep the token itself. */
export interface Capability {
  readonly jti: Jti
  readonly accountId: AccountId
  /** Which session asked for it. Undefined in a row of an earlier build. */
  readonly sessionId?: SessionId | undefined
  readonly albumId: AlbumId
  /** The origin of the peer that may use it. */
  readonly peer: string
  readonly issuedAt: Instant
  readonly expiresAt: Instant
}

export interface RevokedCapability {
  readonly jti: Jti
  readonly expiresAt: Instant
}

/** A capability ends at its `expiresAt`. It is live until then, unless it was revoked. */
export interface CapabilityReads {
  /** Live at `at`, oldest first. */
  liveOf(albumId: AlbumId, at: Instant): Promise<readonly Capability[]>
  /** How many of an account have not ended at `at`: the live ones, all, revoked ones too, and those of all that this session asked for. */
  count(
    accountId: AccountId,
    at: Instant,
    sessionId?: SessionId,
  ): Promise<{ readonly live: number; readonly all: number; readonly ofSession: number }>
  /** How many of all accounts have not ended at `at`, revoked ones too; it counts up to `max`. */
  countAll(at: Instant, max: number): Promise<number>
  /** At most `max` that are revoked and have not ended at `at`, in the order in which they end: the first ones, or those after one. */
  revoked(
    at: Instant,
    page: { readonly after?: RevokedCapability | undefined; readonly max: number },
  ): Promise<readonly RevokedCapability[]>
  /** Another text when `revoked` has others than before. One short answer, however long that list is. */
  revokedMark(at: Instant): Promise<string>
}

export interface CapabilityWrites {
  insert(capability: Capability): Promise<void>
  /** Changes nothing if the album has no such capability, or it was revoked before. */
  revoke(jti: Jti, albumId: AlbumId, at: Instant): Promise<void>
  /** Revokes all that are live at `at` of an album. */
  revokeOf(albumId: AlbumId, at: Instant): Promise<void>
  /** Revokes all that are live at `at`, of every account. */
  revokeAll(at: Instant): Promise<void>
  /** Removes at most `max` that have ended at `at`. */
  prune(at: Instant, max: number): Promise<void>
}
