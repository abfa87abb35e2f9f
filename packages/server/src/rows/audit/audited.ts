import type { AccountId, AssetId, BinId, DropId, Instant, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { LinkCaps, LinkUse } from '../tables/links.ts'
import type { ObjectState } from '../tables/objects.ts'
import type { ReceiptRow } from '../tables/receipts.ts'
import type { UploadState } from '../tables/uploads.ts'

/** The bytes of one object: where they are and what they are. */
interface Held {
  readonly uploadId: UploadId
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  readonly location: string
}

export type PresentObject = { readonly state: ObjectState; readonly size: number } | undefined

export interface AuditedAccount {
  readonly accountId: AccountId
  readonly usedBytes: number
  readonly pendingDrops: number
  readonly changeSeq: number
  /** Declared bytes of its open and finishing upload sessions. */
  readonly unclosedBytes: number
  readonly drops: number
  readonly dropBytes: number
  readonly blobBytes: number
  readonly binBytes: number
  /** The highest number of a change in its assets, events and channels; 0 if there is none. */
  readonly highestChange: number
  readonly deletedAt: Instant | undefined
  readonly emptiedAt: Instant | undefined
  /**
   * For a deleted account, how much it still keeps about a person: values of its row, sessions, devices, passkeys,
   * codes, challenges, channels, names of albums, and links that are not revoked or have a label, verifier or key. 0
   * for any other account.
   */
  readonly remains: number
  /** Shares that have not ended. */
  readonly liveShares: number
  /** Those of them whose counts of visits are lost. */
  readonly sharesWithoutVisits: number
}

export interface AuditedLink extends Omit<LinkCaps, 'expiresAt'>, LinkUse {
  readonly linkSeq: number
  readonly accountId: AccountId
  readonly createdAt: Instant
  /** Its open and finishing sessions. `finishing` is one of the latter. */
  readonly unclosed: {
    readonly sessions: number
    readonly bytes: number
    readonly open: number
    readonly finishing: UploadId | undefined
  }
  /** Its landed sessions that are not pruned yet. */
  readonly seen: { readonly files: number; readonly bytes: number }
  readonly pending: { readonly files: number; readonly bytes: number }
}

export interface AuditedUpload extends Held {
  readonly accountId: AccountId
  /** Present on an owner's session. */
  readonly assetId: AssetId | undefined
  readonly state: UploadState
  readonly createdAt: Instant
  readonly lastChunkAt: Instant | undefined
  readonly receivedBytes: number
  readonly chunkCount: number
  readonly chunks: { readonly count: number; readonly bytes: number; readonly start: number; readonly end: number }
  readonly object: PresentObject
  readonly receipts: { readonly landings: number; readonly blobs: number }
  /** Present on a guest's session. */
  readonly link: { readonly accountId: AccountId } | undefined
  /** For an owner's session: whether the asset belongs to its account and its album. */
  readonly isAssetRight: boolean
}

/** The session that a drop or blob came from. `isSame`: all that both record is equal. */
export interface LandedAs {
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
  /** Undefined if it was pruned. Compared: account, link, hash, size and location. */
  readonly upload: LandedAs | undefined
  /** From its session's first receipt. */
  readonly receipt: { readonly dropId: DropId | undefined; readonly receivedAt: Instant } | undefined
  /** How many receipts of assets are about it. */
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
  /** Metadata that wait for a manifest which cannot come, as another one is present. */
  readonly strayPending: number
  /** The drop that receipts name as its original. */
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
  /** As for a drop; asset and role are compared too if the session is an owner's. */
  readonly upload: LandedAs | undefined
  readonly receipt: { readonly receiptSeq: number; readonly receivedAt: Instant } | undefined
  /** Whether its manifest envelope is JSON. */
  readonly isEnvelopeReadable: boolean
  readonly retainedUntil: Instant | undefined
}

/** What is in a bin. */
export interface AuditedEntry {
  readonly binSeq: number
  readonly entryId: BinId
  readonly accountId: AccountId
  readonly size: number
  /** Whether its drop is pending or its asset present. */
  readonly isLive: boolean
  readonly objects: readonly { readonly size: number; readonly object: PresentObject }[]
}

export interface AuditedObject {
  readonly location: string
  readonly size: number
  readonly state: ObjectState
  readonly since: Instant
  readonly checkedAt: Instant
  readonly damagedAt: Instant | undefined
  readonly suspectedAt: Instant | undefined
  /** How many own it: unclosed sessions, drops and blobs of assets. */
  readonly sessions: number
  readonly drops: number
  readonly blobs: number
  /** Receipts that vouch for it. */
  readonly receipts: number
  /** How much the unclosed session that writes it has received. */
  readonly receivedBytes: number | undefined
  /** Its kept parts: none without keys. `gaps`: those that do not begin where another one ends, nor at 0. */
  readonly parts: { readonly count: number; readonly bytes: number; readonly gaps: number }
}

export interface AuditedReceipt {
  readonly row: ReceiptRow
  /** What still exists of the upload that it vouches for: the session, the pending drop, the asset's blob. */
  readonly subjects: readonly Subject[]
  /** Whether its session is not pruned yet. */
  readonly hasUpload: boolean
  /** For a blob's receipt. Undefined if there is no such row. */
  readonly asset: AuditedSubject | undefined
}

/** An asset as it is now. If it does not hold the attested blob, also what could have taken its place. */
interface AuditedSubject {
  readonly isDeleted: boolean
  /** Of its original. */
  readonly originalSeq: number | undefined
  /** Its manifest, and the metadata that this names. */
  readonly signed: { readonly receiptSeq: number; readonly metadataHash: unknown } | undefined
}

export interface Subject {
  readonly what: 'session' | 'drop' | 'blob'
  readonly role: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly size: number
}

/** Descriptions of faults, as sentences. */
export interface Damage {
  /** Faults of pages, indexes and checks: answers of such a database cannot be trusted. */
  readonly broken: readonly string[]
  /** Rows that refer to rows that do not exist. Only looked for if nothing is broken. */
  readonly dangling: readonly string[]
}
