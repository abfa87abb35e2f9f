import type { AccountId, Instant } from '@blindkeep/protocol/ids'

/** Accounts that their owners have deleted. The row stays, as others refer to it; nothing of a person stays in it. */

export interface AccountDeletion {
  readonly accountId: AccountId
  /** Of the secret that was proved. */
  readonly secretHash: string
  readonly at: Instant
}

export interface AccountDeletionReads {
  /** Accounts that have been deleted and may hold something still, the longest gone first, as many as `most`. */
  waiting(most: number): Promise<readonly AccountId[]>
}

export interface AccountDeletionWrites {
  /**
   * Deletes an account that still has this secret: its e-mail is free, and all is taken away that names its person, opens what is sealed or lets in:
   * secrets, salts and sealed keys, the second factor and its codes, challenges, devices, names of albums, labels, keys and verifiers of links. Its
   * sessions have ended, its links and capabilities are revoked, and no claim holds a drop of it. What it holds it still holds: sessions of
   * uploads, drops, assets, shares. False, and nothing changed, when its secret is another one or it was deleted before.
   */
  leave(accountDeletion: AccountDeletion): Promise<boolean>
  /** Notes that a deleted account holds nothing any more. False, and nothing changed, while it is charged for something or has shares. */
  finish(accountId: AccountId, at: Instant): Promise<boolean>
}
