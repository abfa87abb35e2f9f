/** Assets and the blobs that they hold. */
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

/** The drop that became an asset's original. */
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
  /** Present as long as the original is an adopted drop. */
  readonly drop: AdoptedDrop | undefined
  /** When its first blob landed; undefined as long as the id is only reserved. */
  readonly createdAt: Instant | undefined
  readonly changedAt: Instant | undefined
  /** Present on a tombstone: it has no blobs, and its id stays taken. */
  readonly deletedAt: Instant | undefined
}

export interface AssetBlob {
  readonly assetId: AssetId
  readonly role: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  readonly contentType: string
  /** The location of its object, which belongs only to this blob. */
  readonly location: string
  /** The upload session that brought it; for an adopted drop, the guest's session. */
  readonly uploadId: UploadId
  /** As the client declared it, verbatim. */
  readonly envelope: ManifestEnvelope
  readonly landedAt: Instant
  /** What it adds to the retention of its asset. */
  readonly retainedUntil: Instant | undefined
}

/** A blob and the status of its object: the input of a verdict. */
export interface HeldBlob extends ObjectStatus {
  readonly role: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  readonly location: string
}

export interface AssetReads {
  /** In any state. */
  find(assetId: AssetId): Promise<Asset | undefined>
  /** In the order of landing. */
  blobsOf(assetId: AssetId): Promise<readonly AssetBlob[]>
  /** The blobs of a live asset of this account; none for any other asset. In the order of landing. */
  liveBlobsOf(accountId: AccountId, assetId: AssetId): Promise<readonly HeldBlob[]>
  /** Every blob with this content in live assets of the account. */
  objectsOf(accountId: AccountId, ciphertextHash: Sha256Hex): Promise<readonly HeldBlob[]>
  /** The latest `retention_until` of all blobs of the account; undefined if no blob has one. */
  retainedUntil(accountId: AccountId): Promise<Instant | undefined>
  /** Some assets of the account that have blobs, each once, in no order: the assets of the first `max` blobs. */
  someWithBlobs(accountId: AccountId, max: number): Promise<readonly AssetId[]>
}

/** All except `reserve` and `giveUp` throw if the asset or blob does not exist or is a tombstone: then the rows contradict each other. */
export interface AssetWrites {
  /** Reserves an unused id. False if the id is taken, by any account. */
  reserve(asset: NewAsset): Promise<boolean>
  /** Removes a reservation if no blob has landed and no session is open or finishing. No error otherwise. */
  giveUp(assetId: AssetId): Promise<void>
  addBlob(blob: AssetBlob): Promise<void>
  /** Removes one blob from its asset. The caller moves the object to its next state. */
  removeBlob(location: string): Promise<void>
  /** Records a change of the asset; the first one is the landing of its first blob. */
  touch(assetId: AssetId, at: Instant): Promise<void>
  /** Records which drop became the original, or that none did. */
  setDrop(assetId: AssetId, drop: AdoptedDrop | undefined): Promise<void>
  /** Makes a tombstone of an asset without blobs. Throws while it has a blob. */
  bury(assetId: AssetId, at: Instant): Promise<void>
}
