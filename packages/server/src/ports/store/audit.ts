import type { AccountId, AssetId, DropId, Instant, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { LinkCaps, LinkUse } from './links.ts'
import type { ObjectState } from './objects.ts'
import type { ReceiptRow } from './receipts.ts'
import type { UploadState } from './uploads.ts'

/**
 * Rows beside what other rows say of them, for whoever proves that they agree. These questions go through whole tables, a page at a time; what one
 * answer says of one row is all of one instant. Links are named by their number: their ids are credentials.
 */

/** What counts as the bytes of one object: where they are and what they are. */
interface Held {
  readonly uploadId: UploadId
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  readonly location: string
}

type PresentObject = { readonly state: ObjectState; readonly size: number } | undefined

export interface AuditedAccount {
  readonly accountId: AccountId
  readonly usedBytes: number
  readonly pendingDrops: number
  readonly changeSeq: number
  /** Of open and finishing sessions. */
  readonly unclosedBytes: number
  readonly drops: number
  readonly dropBytes: number
  readonly blobBytes: number
  /** The highest number of a change that an asset or an event carries; 0 when there is none. */
  readonly highestChange: number
  readonly deletedAt: Instant | undefined
  readonly emptiedAt: Instant | undefined
  /** What is left of its person: values of the row that are to be gone, sessions, devices, codes, challenges, names of albums, links that are not revoked or have a label, verifier or key. Of one that was deleted; 0 of any other. */
  readonly remains: number
  /** Shares that have not ended. */
  readonly liveShares: number
}

export interface AuditedLink extends Omit<LinkCaps, 'expiresAt'>, LinkUse {
  readonly linkSeq: number
  readonly accountId: AccountId
  readonly createdAt: Instant
  /** Its sessions that are open or finishing, and one of the latter. */
  readonly unclosed: {
    readonly sessions: number
    readonly bytes: number
    readonly open: number
    readonly finishing: UploadId | undefined
  }
  /** Its sessions that have landed and are not forgotten yet. */
  readonly seen: { readonly files: number; readonly bytes: number }
  readonly pending: { readonly files: number; readonly bytes: number }
}

export interface AuditedUpload extends Held {
  readonly accountId: AccountId
  /** Of an owner's. */
  readonly assetId: AssetId | undefined
  readonly state: UploadState
  readonly createdAt: Instant
  readonly lastChunkAt: Instant | undefined
  readonly receivedBytes: number
  readonly chunkCount: number
  readonly chunks: { readonly count: number; readonly bytes: number; readonly start: number; readonly end: number }
  readonly object: PresentObject
  readonly receipts: { readonly landings: number; readonly blobs: number }
  /** Of a guest's. */
  readonly link: { readonly accountId: AccountId; readonly maxFileSize: number | undefined } | undefined
  /** Of an owner's: whether the asset is of its account and its album. */
  readonly isAssetRight: boolean
}

/** A session as it is to agree with what it became. */
interface LandedAs {
  readonly state: UploadState
  readonly isSame: boolean
}

export interface AuditedDrop extends Held {
  readonly dropSeq: number
  readonly dropId: DropId
  readonly accountId: AccountId
  readonly receivedAt: Instant
  readonly leasedUntil: Instant | undefined
  readonly claimId: string | undefined
  readonly linkAccountId: AccountId | undefined
  readonly object: PresentObject
  /** Undefined when it is forgotten. `isSame`: account, link, hash, size and location are the drop's. */
  readonly upload: LandedAs | undefined
  /** What its session's first receipt says. */
  readonly receipt: { readonly dropId: DropId | undefined; readonly receivedAt: Instant } | undefined
  /** Receipts of assets that took it. */
  readonly adoptions: number
}

export interface AuditedAsset {
  readonly assetId: AssetId
  readonly accountId: AccountId
  readonly albumAccountId: AccountId | undefined
  readonly dropId: DropId | undefined
  readonly createdAt: Instant | undefined
  readonly deletedAt: Instant | undefined
  readonly changeSeq: number | undefined
  readonly blobs: number
  readonly unclosedSessions: number
  /** What receipts say that its original was. */
  readonly originalDropId: DropId | undefined
}

export interface AuditedBlob extends Held {
  readonly blobSeq: number
  readonly assetId: AssetId
  readonly accountId: AccountId
  readonly role: BlobRole
  readonly landedAt: Instant
  readonly assetAccountId: AccountId | undefined
  readonly object: PresentObject
  /** As of a drop; of an owner's session, asset and role are the blob's too. */
  readonly upload: LandedAs | undefined
  readonly receipt: { readonly receiptSeq: number; readonly receivedAt: Instant } | undefined
  /** Whether its manifest envelope is JSON. */
  readonly isEnvelopeReadable: boolean
}

export interface AuditedObject {
  readonly location: string
  readonly size: number
  readonly state: ObjectState
  readonly since: Instant
  readonly checkedAt: Instant
  readonly damagedAt: Instant | undefined
  /** How many own it: sessions that have not closed, drops, blobs of assets. */
  readonly sessions: number
  readonly drops: number
  readonly blobs: number
  /** Receipts that vouch for it. */
  readonly receipts: number
  /** What the session that writes it has received. */
  readonly receivedBytes: number | undefined
}

export interface AuditedReceipt {
  readonly row: ReceiptRow
  /** What is left of what it vouches for: its session, the pending drop that it put into the inbox, the blob that an asset took by it. */
  readonly subjects: readonly Subject[]
  /** Whether its session is still known. */
  readonly hasUpload: boolean
  /** Of a blob's: its asset as it is now; undefined when there is no such row. */
  readonly asset: { readonly isDeleted: boolean; readonly originalSeq: number | undefined } | undefined
}

export interface Subject {
  readonly what: 'session' | 'drop' | 'blob'
  readonly role: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly size: number
}

/** As sentences. */
export interface Damage {
  /** Of pages, indexes and checks: what is read of such a database is worth nothing. */
  readonly broken: readonly string[]
  /** Rows that refer to nothing. Looked for when nothing is broken. */
  readonly dangling: readonly string[]
}

export interface AuditReads {
  /**
   * What the database finds wrong with itself. `deep` compares every index with its table. Nothing from a database that guards these itself.
   * Looking on behind the first fault may throw `StoreDamaged`: with a `most` of 1 that one is told in any case.
   */
  damage(deep: boolean, most: number): Promise<Damage>
  /** In the order of their ids, those after `after`; begins with an empty text. `most` at the most, as all of these. */
  accounts(after: string, most: number): Promise<readonly AuditedAccount[]>
  /** In the order of their numbers, those after `after`; begins below all of them. */
  links(after: number, most: number): Promise<readonly AuditedLink[]>
  uploads(after: string, most: number): Promise<readonly AuditedUpload[]>
  drops(after: number, most: number): Promise<readonly AuditedDrop[]>
  assets(after: string, most: number): Promise<readonly AuditedAsset[]>
  blobs(after: number, most: number): Promise<readonly AuditedBlob[]>
  /** In the order of their locations. */
  objects(after: string, most: number): Promise<readonly AuditedObject[]>
  object(location: string): Promise<AuditedObject | undefined>
  /** In the order of the chain, by their numbers. */
  receipts(after: number, most: number): Promise<readonly AuditedReceipt[]>
}

/** Each is one conditional statement, which counts for itself: whatever happened since somebody last looked, what it writes is so. */
export interface AuditWrites {
  /** Sets an account's use and its number of pending drops to what its rows say. False when they said so before. */
  recountUse(accountId: AccountId): Promise<boolean>
  /** Sets a link's open sessions and bytes to what its rows say. False when they said so before. */
  recountOpen(linkSeq: number): Promise<boolean>
}
