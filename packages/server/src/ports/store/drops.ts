import type { AccountId, DropId, Instant, OpaqueId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'

export interface Drop {
  readonly dropId: DropId
  readonly accountId: AccountId
  readonly opaqueId: OpaqueId
  readonly uploadId: UploadId
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  readonly contentType: string
  readonly kemCt: Uint8Array
  readonly suggestedFilename: string | undefined
  readonly location: string
  readonly receivedAt: Instant
  /** Until when an adoption holds the row; a lease that ran out still shows `adopting`. */
  readonly leasedUntil: Instant | undefined
}

export interface DropReads {
  find(dropId: DropId): Promise<Drop | undefined>
  /** Oldest first: by `receivedAt`, then in the order of landing. */
  pendingOf(accountId: AccountId): Promise<readonly Drop[]>
  countPending(accountId: AccountId): Promise<number>
}

export interface DropWrites {
  insert(drop: Drop): Promise<void>
  /** Removes the row of this account's drop unless an adoption's lease is live at `at`. What it removed, or undefined. */
  remove(dropId: DropId, accountId: AccountId, at: Instant): Promise<Drop | undefined>
  /** The same for all that came through one of this account's links. */
  removeOfLink(opaqueId: OpaqueId, accountId: AccountId, at: Instant): Promise<readonly Drop[]>
}
