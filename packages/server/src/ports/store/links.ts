import type { AccountId, Instant, OpaqueId, ProtocolVersion, UploadId } from '@blindkeep/protocol/ids'
import type { NumericLinkCaps } from '@blindkeep/protocol/schemas/links'
import type { AccountStanding, AccountUse } from './accounts.ts'

export interface LinkCaps extends NumericLinkCaps {
  readonly expiresAt: Instant | undefined
  readonly singleUse: boolean
}

export interface NewLink extends LinkCaps {
  readonly opaqueId: OpaqueId
  readonly accountId: AccountId
  readonly dropPublicKey: Uint8Array
  readonly suiteId: number
  readonly protocolVersion: ProtocolVersion
  /** SHA-256 of the verifier: what is stored cannot be sent as a proof. */
  readonly verifierHash: Uint8Array | undefined
  readonly sealedLabel: Uint8Array | undefined
  /** For guests, who have the link's secret. */
  readonly sealedTitle: Uint8Array | undefined
  readonly createdAt: Instant
}

/** What the owner may change later. */
export type LinkTerms = Omit<LinkCaps, 'singleUse'> & Pick<NewLink, 'sealedLabel' | 'sealedTitle'>

export interface Link extends NewLink, LinkUse {}

export interface OwnedLink {
  readonly link: Link
  readonly owner: AccountStanding & AccountUse
}

export interface ListedLink extends Link {
  /** Pending drops. */
  readonly pending: number
}

/** Places of the account's inbox that a link uses: its pending drops, open and finishing sessions. */
export interface HeldPlaces {
  readonly opaqueId: OpaqueId
  readonly held: number
}

/** How far the link has been used. */
export interface LinkUse {
  readonly revokedAt: Instant | undefined
  /** When the first drop of a single-use link landed. */
  readonly spentAt: Instant | undefined
  /** The finishing session of a single-use link: only this session may land. */
  readonly claimedBy: UploadId | undefined
  readonly landedFiles: number
  readonly landedBytes: number
  readonly openSessions: number
  readonly openBytes: number
}

/** What has landed through one link. */
export interface LandedFiles {
  readonly opaqueId: OpaqueId
  readonly files: number
  /** All files together. */
  readonly bytes: number
}

/** What decides whether a link takes a file that has arrived. */
export interface LinkTaker extends Pick<Link, 'opaqueId' | 'singleUse' | 'claimedBy'> {
  readonly owner: AccountStanding
}

/** A place in the order of an account's links. */
export interface LinkPlace {
  readonly createdAt: Instant
  readonly linkSeq: number
}

export interface LinkPage {
  readonly links: readonly ListedLink[]
  readonly next: LinkPlace | undefined
}

export interface LinkReads {
  find(opaqueId: OpaqueId): Promise<Link | undefined>
  /** Takes as long for an unknown id: a client that asks for dead ones learns nothing from the time. */
  findWithOwner(opaqueId: OpaqueId): Promise<OwnedLink | undefined>
  /** Of those that exist of 1 to 64, in no order. */
  takers(opaqueIds: readonly OpaqueId[]): Promise<readonly LinkTaker[]>
  /** Undefined if the account has no such link. */
  findOwn(opaqueId: OpaqueId, accountId: AccountId): Promise<ListedLink | undefined>
  /** At most `max`, oldest first, without buried ones. `next` is where the following page begins; undefined after the last one. */
  page(accountId: AccountId, from: { readonly after?: LinkPlace | undefined; readonly max: number }): Promise<LinkPage>
  /** How many all pages have. */
  countListed(accountId: AccountId): Promise<number>
  /** Links that are neither revoked, spent nor expired at `at`. */
  countLive(accountId: AccountId, at: Instant): Promise<number>
  /** Of the same links, in no order. */
  heldPlaces(accountId: AccountId, at: Instant): Promise<readonly HeldPlaces[]>
}

export interface LinkWrites {
  /** False if the id is taken, by any account. */
  insert(link: NewLink): Promise<boolean>
  /**
   * Reserves one file of `size` bytes, if the link is live at `at`, fewer than `maxOpenSessions` are open, and landed and open files together stay within
   * all caps (a cap may be reached exactly). False, and nothing changed, otherwise. One conditional statement: of simultaneous reservations exactly as many
   * succeed as fit.
   */
  reserve(
    opaqueId: OpaqueId,
    reservation: { readonly size: number; readonly at: Instant; readonly maxOpenSessions: number },
  ): Promise<boolean>
  /** Releases an open reservation of `size` bytes. */
  release(opaqueId: OpaqueId, size: number): Promise<void>
  /** Turns open reservations of 1 to 64 links into landed files. Marks single-use links as spent since `at`. Answers which of the links are spent. */
  land(landed: readonly LandedFiles[], at: Instant): Promise<readonly OpaqueId[]>
  /** Claims a single-use link for a finishing session. False if another session has the claim or the link is spent. */
  claim(opaqueId: OpaqueId, uploadId: UploadId): Promise<boolean>
  unclaim(opaqueId: OpaqueId, uploadId: UploadId): Promise<void>
  /** Sets all terms, whatever the link has used. */
  setTerms(opaqueId: OpaqueId, terms: LinkTerms): Promise<void>
  /**
   * Takes at most `max` links out of the list, oldest first: of those that are revoked, spent or expired at `at`, and have neither open sessions nor pending
   * drops. They are revoked for good, and nothing of them stays but the id and what was counted. Answers how many.
   */
  bury(accountId: AccountId, at: Instant, max: number): Promise<number>
  /** False if the account has no such link, or it was revoked before. */
  revoke(opaqueId: OpaqueId, accountId: AccountId, at: Instant): Promise<boolean>
}
