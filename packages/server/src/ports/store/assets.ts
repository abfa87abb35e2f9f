import type {
  AccountId,
  AlbumId,
  AssetId,
  DropId,
  Instant,
  OpaqueId,
  Sha256Hex,
  UploadId,
} from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { ObjectStatus } from './objects.ts'

/** Assets and the blobs that they hold. */

/** Where an adopted asset's original came from. */
export interface AdoptedDrop {
  readonly dropId: DropId
  readonly opaqueId: OpaqueId
  readonly kemCt: Uint8Array
  readonly receivedAt: Instant
}

export interface NewAsset {
  readonly assetId: AssetId
  readonly accountId: AccountId
  readonly albumId: AlbumId
}

export interface Asset extends NewAsset {
  /** Given while its original is a drop that was adopted. */
  readonly drop: AdoptedDrop | undefined
  /** When its first blob landed; undefined as long as a session alone has reserved the id. */
  readonly createdAt: Instant | undefined
  readonly changedAt: Instant | undefined
  /** A tombstone: it holds nothing, and its id stays taken. */
  readonly deletedAt: Instant | undefined
}

export interface AssetBlob {
  readonly assetId: AssetId
  readonly role: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  readonly contentType: string
  /** Of the one object that is this blob's own. */
  readonly location: string
  /** The session that brought it; of an adopted drop, the guest's. */
  readonly uploadId: UploadId
  /** What was declared with it, verbatim. */
  readonly envelope: ManifestEnvelope
  readonly landedAt: Instant
}

/** A blob beside the standing of its object: what a verdict is made of. */
export interface HeldBlob extends ObjectStatus {
  readonly role: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  readonly location: string
}

export interface AssetReads {
  /** In whatever state. */
  find(assetId: AssetId): Promise<Asset | undefined>
  /** In the order of landing. */
  blobsOf(assetId: AssetId): Promise<readonly AssetBlob[]>
  /** What a live asset of this account holds; nothing for any other. In the order of landing. */
  heldBy(accountId: AccountId, assetId: AssetId): Promise<readonly HeldBlob[]>
  /** Every object of this content that live assets of the account hold. */
  objectsOf(accountId: AccountId, ciphertextHash: Sha256Hex): Promise<readonly HeldBlob[]>
  /** The latest `retention_until` of all blobs that the account's assets hold; undefined when none has one. */
  retainedUntil(accountId: AccountId): Promise<Instant | undefined>
  /** Assets of the account that hold blobs, each once, in no order: those of the first `most` blobs. None when it holds none. */
  someHolding(accountId: AccountId, most: number): Promise<readonly AssetId[]>
}

/** All but `reserve` and `giveUp` throw for an asset or blob that is not there, or is a tombstone: the books are wrong then. */
export interface AssetWrites {
  /** Reserves an id that has not been used. False when it is taken, by whomever. */
  reserve(asset: NewAsset): Promise<boolean>
  /** Gives a reservation up, if nothing has landed and no session is open or finishing. No error otherwise. */
  giveUp(assetId: AssetId): Promise<void>
  addBlob(blob: AssetBlob): Promise<void>
  /** Takes one blob out of its asset. The object is the caller's to move. */
  removeBlob(location: string): Promise<void>
  /** Notes that the asset has changed, and when its first blob landed. */
  touch(assetId: AssetId, at: Instant): Promise<void>
  /** Says which drop the original was, or that it is none. */
  setDrop(assetId: AssetId, drop: AdoptedDrop | undefined): Promise<void>
  /** Makes a tombstone of an asset whose blobs were taken out. Throws while it holds one. */
  bury(assetId: AssetId, at: Instant): Promise<void>
}
