/** Accounts that their owners deleted. The row stays, because other rows refer to it, but keeps nothing about a person. */
import type { AccountId, Instant } from '@blindkeep/protocol/ids'

export interface AccountDeletion {
  readonly accountId: AccountId
  /** The stored hash that the owner's secret matched. */
  readonly secretHash: string
  readonly at: Instant
}

export interface AccountDeletionReads {
  /** At most `max` deleted accounts that are not emptied yet, in the order of deletion. */
  listUnfinished(max: number): Promise<readonly AccountId[]>
}

export interface AccountDeletionWrites {
  /**
   * Deletes an account if `secretHash` is still its hash. Frees its e-mail address and removes everything that names the person, opens sealed data or lets
   * the person in: secrets, salts and sealed keys, the second factor and its codes, challenges, devices, passkeys, names of albums, labels, keys and verifiers of
   * links. Ends its sessions, revokes its links and capabilities, and releases all claims on its drops. Its upload sessions, drops, assets and shares stay.
   * False, and nothing changed, if its secret is another one or it was deleted before.
   */
  begin(accountDeletion: AccountDeletion): Promise<boolean>
  /** Records that a deleted account is empty. False, and nothing changed, while the account is charged for bytes or has shares. */
  finish(accountId: AccountId, at: Instant): Promise<boolean>
}
