import type { AccountId, Instant } from '@blindkeep/protocol/ids'

/** Lets one person register where registration asks for it. The code itself is not kept. */
export interface Invite {
  /** SHA-256 of the code, lowercase hexadecimal. */
  readonly codeHash: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
  /** Whose account was made with it. */
  readonly usedBy: AccountId | undefined
}

/** One is live until its `expiresAt`, unless it was used. */
export interface InviteReads {
  find(codeHash: string): Promise<Invite | undefined>
  /** Oldest first, at most `most`. */
  list(most: number): Promise<readonly Invite[]>
  /** Whether any is live at `at`. */
  hasLive(at: Instant): Promise<boolean>
}

export interface InviteWrites {
  insert(invite: Pick<Invite, 'codeHash' | 'createdAt' | 'expiresAt'>): Promise<void>
  /** False, and nothing changed, when it is not live at `at`: one conditional statement, so that of many who use it at once one does. */
  use(codeHash: string, accountId: AccountId, at: Instant): Promise<boolean>
  /** Forgets those that expired before `before`, used or not, as many as `most`. */
  prune(before: Instant, most: number): Promise<void>
}
