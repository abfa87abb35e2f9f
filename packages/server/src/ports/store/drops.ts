import type { AccountId, DropId, Instant, OpaqueId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { InboxOrder } from '@blindkeep/protocol/schemas/drops'
import type { ObjectStatus } from './objects.ts'

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
  /** Until when an adoption claims the row. A drop whose lease has run out still shows `adopting`. */
  readonly leasedUntil: Instant | undefined
}

/** By a claim an adoption keeps a drop for itself for a while. */
export interface Claim {
  readonly dropId: DropId
  /** A UUID, new for each claim. */
  readonly claimId: string
  /** SHA-256 of the request: an equal request of the same process may take over the claim before the lease ends. */
  readonly requestHash: string
  /** The process. */
  readonly by: string
  readonly at: Instant
  readonly leasedUntil: Instant
}

/** A place in the order of an inbox, also if the drop there is not pending any more. */
export interface InboxPlace {
  readonly receivedAt: Instant
  readonly dropSeq: number
}

export interface InboxPage {
  readonly drops: readonly Drop[]
  /** The place of the last one; undefined if the inbox has no more. */
  readonly next: InboxPlace | undefined
}

export interface DropReads {
  find(dropId: DropId): Promise<Drop | undefined>
  /** Oldest first: by `receivedAt`, then in the order of landing. */
  pendingOf(accountId: AccountId): Promise<readonly Drop[]>
  /** The first `max` of them in an order, or the first after a page. */
  pendingPage(
    accountId: AccountId,
    page: { readonly after: InboxPlace | undefined; readonly max: number; readonly order: InboxOrder },
  ): Promise<InboxPage>
  /** The place of a pending drop of the account. */
  placeOf(accountId: AccountId, dropId: DropId): Promise<InboxPlace | undefined>
  /** Of the account's drops that were received in this time: those whose object is not kept, is damaged or suspected, or is on hold. */
  withheldBetween(
    accountId: AccountId,
    times: { readonly from: Instant; readonly to: Instant },
  ): Promise<ReadonlyMap<DropId, ObjectStatus>>
  countPending(accountId: AccountId): Promise<number>
  /** Whether an equal request, of any process, has a claim whose lease is live at `at`. */
  isClaimedFor(dropId: DropId, requestHash: string, at: Instant): Promise<boolean>
}

export interface DropWrites {
  /** At most 64. */
  insert(...drops: readonly Drop[]): Promise<void>
  /** Claims a drop. False, and nothing changed, if another request has a claim whose lease is live at `claim.at`. One conditional statement. */
  claim(claim: Claim): Promise<boolean>
  /** Removes the row. False, and nothing changed, if the claim is not `claimId` any more. */
  settle(dropId: DropId, claimId: string): Promise<boolean>
  /** Ends the claim. False, and nothing changed, if the claim is not `claimId`. */
  unclaim(dropId: DropId, claimId: string): Promise<boolean>
  /** Removes a drop of this account and answers it; undefined, and nothing changed, if there is none or an adoption's lease is live at `at`. */
  remove(dropId: DropId, accountId: AccountId, at: Instant): Promise<Drop | undefined>
  /** The same for drops of one link of this account, at most `max`. */
  removeOfLink(opaqueId: OpaqueId, accountId: AccountId, at: Instant, max: number): Promise<readonly Drop[]>
  /** The same for the account's oldest drops, at most `max`. */
  removeSome(accountId: AccountId, at: Instant, max: number): Promise<readonly Drop[]>
}
