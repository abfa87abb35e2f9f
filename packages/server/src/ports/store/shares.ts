import type { AccountId, Instant, OpaqueId, Sha256Hex } from '@blindkeep/protocol/ids'

/** What somebody with the address may read, of what an account keeps. The id is a credential. */
export interface NewShare {
  readonly opaqueId: OpaqueId
  readonly accountId: AccountId
  readonly sealedIndex: Uint8Array
  /** In the order in which they were given; whether the account holds them is not asked. */
  readonly blobHashes: readonly Sha256Hex[]
  readonly createdAt: Instant
  /** It shows nothing from then on. */
  readonly expiresAt: Instant | undefined
}

export interface Share extends Omit<NewShare, 'sealedIndex' | 'blobHashes'> {
  /** Since then the id is all that is left of it, and stays taken. */
  readonly endedAt: Instant | undefined
}

/** What it shows. */
export type ShareContents = Pick<NewShare, 'sealedIndex' | 'blobHashes'>

export interface ShareReads {
  /** In whatever state. */
  find(opaqueId: OpaqueId): Promise<Share | undefined>
  /** Undefined for one that has ended or never was. */
  contentsOf(opaqueId: OpaqueId): Promise<ShareContents | undefined>
  /** Whether the hash is one of those that it was given; of none that has ended. */
  names(opaqueId: OpaqueId, ciphertextHash: Sha256Hex): Promise<boolean>
  /** Those that have not ended, expired ones too, oldest first. */
  listOf(accountId: AccountId): Promise<readonly Share[]>
  /** How many `listOf` gives. */
  count(accountId: AccountId): Promise<number>
}

export interface ShareWrites {
  /** False when the id is taken, by whomever. */
  insert(share: NewShare): Promise<boolean>
  /** Takes away what it holds, and leaves its id taken. No error when the account has no such one, or it ended before. */
  end(opaqueId: OpaqueId, accountId: AccountId, at: Instant): Promise<void>
  /** Ends those of the account that have not, as many as `most`; how many it ended. */
  endSomeOf(accountId: AccountId, at: Instant, most: number): Promise<number>
  /** Ends those that expired before `expiredBefore`, as many as `most`; how many it ended. */
  endExpired(expiredBefore: Instant, at: Instant, most: number): Promise<number>
}
