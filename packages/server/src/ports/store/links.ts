import type { AccountId, Instant, OpaqueId, ProtocolVersion, UploadId } from '@blindkeep/protocol/ids'
import type { NumericLinkCaps } from '@blindkeep/protocol/schemas/links'

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
  readonly createdAt: Instant
}

export interface Link extends NewLink, LinkUse {}

/** What has become of it so far. */
export interface LinkUse {
  readonly revokedAt: Instant | undefined
  /** When its first drop landed, if it is single-use. */
  readonly spentAt: Instant | undefined
  /** The session of a single-use link that is finishing: it alone may land. */
  readonly claimedBy: UploadId | undefined
  readonly landedFiles: number
  readonly landedBytes: number
  readonly openSessions: number
  readonly openBytes: number
}

export interface LinkReads {
  find(opaqueId: OpaqueId): Promise<Link | undefined>
  /** Oldest first, each with the number of its pending drops. */
  listOf(accountId: AccountId): Promise<readonly (Link & { readonly pending: number })[]>
  /** Links that are neither revoked, spent nor expired at `at`. */
  countLive(accountId: AccountId, at: Instant): Promise<number>
}

export interface LinkWrites {
  /** False when the id is taken, by whomever. */
  insert(link: NewLink): Promise<boolean>
  /**
   * Reserves one file of `size` bytes if the link is live at `at` and all its caps admit it, landed and open together, both ends inclusive,
   * and fewer than `maxOpenSessions` are open: one conditional statement, so that of any number at once exactly as many as fit are admitted.
   * False when it does not fit; nothing is changed then.
   */
  reserve(
    opaqueId: OpaqueId,
    reservation: { readonly size: number; readonly at: Instant; readonly maxOpenSessions: number },
  ): Promise<boolean>
  /** Gives an open reservation of `size` bytes back. */
  release(opaqueId: OpaqueId, size: number): Promise<void>
  /** Turns an open reservation into a landed file. A single-use link is spent from `at` on. */
  land(opaqueId: OpaqueId, size: number, at: Instant): Promise<void>
  /** Claims a single-use link that is not spent for the session that is finishing. False when another holds the claim or the link is spent. */
  claim(opaqueId: OpaqueId, uploadId: UploadId): Promise<boolean>
  unclaim(opaqueId: OpaqueId, uploadId: UploadId): Promise<void>
  /** False when there is no such link of this account, or it was revoked before. */
  revoke(opaqueId: OpaqueId, accountId: AccountId, at: Instant): Promise<boolean>
}
