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

/** An adoption's hold on a drop. */
export interface Claim {
  readonly dropId: DropId
  /** A UUID of this claim alone. */
  readonly claimId: string
  /** SHA-256 of what was asked for: the same request again may take the claim over while its lease is live. */
  readonly requestHash: string
  readonly at: Instant
  readonly leasedUntil: Instant
}

export interface DropReads {
  find(dropId: DropId): Promise<Drop | undefined>
  /** Oldest first: by `receivedAt`, then in the order of landing. */
  pendingOf(accountId: AccountId): Promise<readonly Drop[]>
  countPending(accountId: AccountId): Promise<number>
}

export interface DropWrites {
  insert(drop: Drop): Promise<void>
  /** Claims a drop that no lease of another request holds at `claim.at`. False, and nothing changed, otherwise: one conditional statement. */
  claim(claim: Claim): Promise<boolean>
  /** Removes the row that this very claim holds. False, and nothing changed, when it holds it no more. */
  settle(dropId: DropId, claimId: string): Promise<boolean>
  /** Lets go of the row. False, and nothing changed, when this very claim does not hold it. */
  unclaim(dropId: DropId, claimId: string): Promise<boolean>
  /** Removes the row of this account's drop unless an adoption's lease is live at `at`. What it removed, or undefined. */
  remove(dropId: DropId, accountId: AccountId, at: Instant): Promise<Drop | undefined>
  /** The same for all that came through one of this account's links. */
  removeOfLink(opaqueId: OpaqueId, accountId: AccountId, at: Instant): Promise<readonly Drop[]>
  /** The same for the account's oldest, as many as `most`. */
  removeSome(accountId: AccountId, at: Instant, most: number): Promise<readonly Drop[]>
}
