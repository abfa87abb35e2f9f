/** Sessions of signed-in clients. */
import type { AccountId, DeviceId, Instant, PasskeyId, SessionId } from '@blindkeep/protocol/ids'

export interface Session {
  readonly sessionId: SessionId
  readonly accountId: AccountId
  readonly deviceId: DeviceId | undefined
  /** The passkey that opened it. */
  readonly passkeyId: PasskeyId | undefined
  readonly createdAt: Instant
  readonly lastUsedAt: Instant
  readonly expiresAt: Instant
  readonly endedAt: Instant | undefined
}

export interface ListedSession extends Session {
  /** The owner's name for it. */
  readonly sealedName: Uint8Array | undefined
}

/** The server keeps only the SHA-256 of a refresh token. */
export interface RefreshToken {
  readonly tokenHash: Uint8Array
  readonly sessionId: SessionId
  readonly issuedAt: Instant
  readonly usedAt: Instant | undefined
}

export interface SessionReads {
  find(sessionId: SessionId): Promise<Session | undefined>
  findRefreshToken(tokenHash: Uint8Array): Promise<RefreshToken | undefined>
  /** Sessions of an account that have neither ended nor expired at `at`, oldest first. */
  listLive(accountId: AccountId, at: Instant): Promise<readonly ListedSession[]>
}

export interface SessionWrites {
  insert(session: Session): Promise<void>
  insertRefreshToken(token: RefreshToken): Promise<void>
  /** Removes the used tokens of a session, but for the `kept` that were used last. */
  pruneRefreshTokens(sessionId: SessionId, kept: number): Promise<void>
  /** False if the token was used before. One conditional statement. */
  useRefreshToken(tokenHash: Uint8Array, usedAt: Instant): Promise<boolean>
  prolong(sessionId: SessionId, lastUsedAt: Instant, expiresAt: Instant): Promise<void>
  /** False if the session names a device already. One conditional statement. */
  bind(sessionId: SessionId, deviceId: DeviceId): Promise<boolean>
  /** Undefined removes the name. */
  setName(sessionId: SessionId, sealedName: Uint8Array | undefined): Promise<void>
  /** Its name is removed. */
  end(sessionId: SessionId, endedAt: Instant): Promise<void>
  /** Ends all sessions of an account, except `except`. */
  endAllOf(accountId: AccountId, endedAt: Instant, except?: SessionId): Promise<void>
  /** Ends the sessions of an account that a passkey opened, except `except`. */
  endAllOfPasskey(
    passkey: { readonly accountId: AccountId; readonly passkeyId: PasskeyId },
    endedAt: Instant,
    except: SessionId,
  ): Promise<void>
  /** Removes sessions, with their refresh tokens, that ended or expired before `before`. */
  prune(before: Instant): Promise<void>
}
