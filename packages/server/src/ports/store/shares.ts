import type { AccountId, Instant, OpaqueId, Sha256Hex } from '@blindkeep/protocol/ids'
import type { AccountStanding } from './accounts.ts'

/** Lets everyone who has its address read some contents of an account. The id is a credential. */
export interface NewShare {
  readonly opaqueId: OpaqueId
  readonly accountId: AccountId
  readonly sealedIndex: Uint8Array
  /** In the given order. The store does not check that the account has these contents. */
  readonly blobHashes: readonly Sha256Hex[]
  readonly createdAt: Instant
  /** From this instant on it shows nothing. */
  readonly expiresAt: Instant | undefined
  /** This and the next are for the owner alone. */
  readonly sealedName: Uint8Array | undefined
  readonly sealedRecord: Uint8Array | undefined
  /** SHA-256 of the passphrase verifier, if it shows what it has only to those who prove the passphrase. What is stored cannot be sent as a proof. */
  readonly verifierHash: Uint8Array | undefined
}

export type ShareNotes = Pick<NewShare, 'sealedName' | 'sealedRecord'>

export interface Share extends Omit<NewShare, 'sealedIndex' | 'blobHashes' | keyof ShareNotes> {
  /** An ended share keeps only its id, which stays taken. It has no `verifierHash`. */
  readonly endedAt: Instant | undefined
}

export interface ListedShare extends Share, ShareNotes {}

/** What a share shows. */
export type ShareContents = Pick<NewShare, 'sealedIndex' | 'blobHashes'>

export interface ShareReads {
  /** In any state. */
  find(opaqueId: OpaqueId): Promise<Share | undefined>
  /** The same. Takes as long for an unknown id: a client that asks for dead ones learns nothing from the time. */
  findWithOwner(opaqueId: OpaqueId): Promise<{ readonly share: Share; readonly owner: AccountStanding } | undefined>
  /** Undefined if it has ended or never existed. */
  contentsOf(opaqueId: OpaqueId): Promise<ShareContents | undefined>
  /** Both absent if it has none, has ended or never existed. */
  notesOf(opaqueId: OpaqueId): Promise<ShareNotes>
  /** Whether the hash is one of its `blobHashes`. False if it has ended. */
  names(opaqueId: OpaqueId, ciphertextHash: Sha256Hex): Promise<boolean>
  /** Shares that have not ended, expired ones too, oldest first. */
  listOf(accountId: AccountId): Promise<readonly ListedShare[]>
  /** How many shares `listOf` answers. */
  /** The bytes of the indexes and hashes of those that have not ended. */
  bytesOf(accountId: AccountId): Promise<number>
  count(accountId: AccountId): Promise<number>
}

export interface ShareWrites {
  /** False if the id is taken, by any account. */
  insert(share: NewShare): Promise<boolean>
  /** Replaces the name of a share that has not ended; undefined removes it. False, and nothing changed, if the account has no such share. */
  setName(opaqueId: OpaqueId, accountId: AccountId, sealedName: Uint8Array | undefined): Promise<boolean>
  /** Removes its contents and notes; its id stays taken. No error if the account has no such share, or it ended before. */
  end(opaqueId: OpaqueId, accountId: AccountId, at: Instant): Promise<void>
  /** Ends at most `max` shares of the account. Answers how many. */
  endSomeOf(accountId: AccountId, at: Instant, max: number): Promise<number>
  /** Ends at most `max` shares that expired before `expiredBefore`. Answers how many. */
  endExpired(expiredBefore: Instant, at: Instant, max: number): Promise<number>
}
