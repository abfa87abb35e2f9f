import type { AccountId, Instant } from '@blindkeep/protocol/ids'

/** Lets one person register if registration needs an invite. The server does not keep the code itself. */
export interface Invite {
  /** SHA-256 of the code, lowercase hexadecimal. */
  readonly codeHash: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
  /** The account that was registered with it. */
  readonly usedBy: AccountId | undefined
}

/** An invite is live until its `expiresAt`, unless it was used. */
export interface InviteReads {
  find(codeHash: string): Promise<Invite | undefined>
  /** Oldest first, at most `max`. */
  list(max: number): Promise<readonly Invite[]>
  /** Whether any invite is live at `at`. */
  hasLive(at: Instant): Promise<boolean>
}

export interface InviteWrites {
  insert(invite: Pick<Invite, 'codeHash' | 'createdAt' | 'expiresAt'>): Promise<void>
  /** False, and nothing changed, if it is not live at `at`. One conditional statement: of simultaneous uses one succeeds. */
  use(codeHash: string, accountId: AccountId, at: Instant): Promise<boolean>
  /** False, and nothing changed, if it is used or unknown. One conditional statement: an invite is either used or revoked. */
  revoke(codeHash: string): Promise<boolean>
  /** Removes at most `max` that expired before `before`, used or not. */
  prune(before: Instant, max: number): Promise<void>
}
