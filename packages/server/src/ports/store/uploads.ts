/** Upload sessions and their chunks. */
import type {
  AccountId,
  AlbumId,
  AssetId,
  Instant,
  OpaqueId,
  SessionId,
  Sha256Hex,
  UploadId,
} from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { AccountStanding } from './accounts.ts'

export type UploadState = 'open' | 'finishing' | 'landed' | 'failed' | 'ended'

/** Why a session failed. */
export type UploadFailure = 'content_hash_wrong' | 'manifest_mismatch' | 'manifest_stale' | 'asset_id_taken'

interface NewSession {
  readonly uploadId: UploadId
  /** The account that is charged. */
  readonly accountId: AccountId
  readonly size: number
  readonly ciphertextHash: Sha256Hex
  readonly contentType: string
  /** SHA-256 of the declaration: tells a repeated request from another one. */
  readonly declarationHash: string
  readonly location: string
  readonly createdAt: Instant
}

/** Who opened a guest's session, as keyed hashes. Kept as long as the session is not closed. */
export interface Opener {
  /** Of the guest's network together with the link. */
  readonly network: string
  /** Of the guest's address. */
  readonly source: string
  /** Whether the link counted it as one of the first of its network. */
  readonly isFirst: boolean
}

/** The mark of the process that completes a session or an adoption. Until it ends, other processes wait. */
export interface Lease {
  readonly by: string
  readonly until: Instant
}

/** A guest's session: it lands as a drop. */
export interface NewDropUpload extends NewSession {
  readonly opaqueId: OpaqueId
  readonly kemCt: Uint8Array
  readonly suggestedFilename: string | undefined
  /** The client's Idempotency-Key, unique on its link. */
  readonly idempotencyKey: string | undefined
  /** Undefined if the guest's address is unknown. */
  readonly opener: Opener | undefined
  readonly assetId?: undefined
}

/** An owner's session: it lands as a blob of an asset. */
export interface NewAssetUpload extends NewSession {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  readonly role: BlobRole
  readonly envelope: ManifestEnvelope
  /** Which session opened it. Kept as long as it is not closed; undefined in a row of an earlier build. */
  readonly sessionId?: SessionId | undefined
  readonly opaqueId?: undefined
}

export type NewUpload = NewDropUpload | NewAssetUpload

interface Progress {
  readonly state: UploadState
  readonly receivedBytes: number
  readonly chunkCount: number
  readonly lastChunkAt: Instant | undefined
  /** Until when a request counts as writing to it. A request that takes long renews this: other processes see by it that a client sends. */
  readonly writingUntil: Instant | undefined
  /** Of the process that finishes it. */
  readonly lease: Lease | undefined
  /** When it landed, failed or ended. */
  readonly closedAt: Instant | undefined
  /** Present if it failed. */
  readonly failure: UploadFailure | undefined
}

export type DropUpload = NewDropUpload & Progress
export type AssetUpload = NewAssetUpload & Progress
export type Upload = DropUpload | AssetUpload

/** What the list of unfinished uploads says: of a guest's its link, of an owner's asset and role. */
export type UnclosedUpload = Pick<Upload, 'uploadId' | 'size' | 'receivedBytes' | 'state' | 'createdAt'> &
  (Pick<NewDropUpload, 'opaqueId' | 'assetId'> | Pick<NewAssetUpload, 'assetId' | 'role'>)

export type UnclosedPlace = Pick<Upload, 'createdAt' | 'uploadId'>

export interface Chunk {
  readonly offset: number
  readonly length: number
  readonly checksum: Sha256Hex
}

/** A chunk and where its bytes are. */
export interface StoredChunk extends Chunk {
  /** Only in a store with keys. */
  readonly key?: string | undefined
}

/** An upload as a request finds it. */
export interface FoundUpload {
  readonly upload: Upload
  /** Of the account that is charged. */
  readonly owner: AccountStanding
  /** The chunk that begins at the offset of the request. */
  readonly recorded: Chunk | undefined
}

export interface Claims {
  /** Of all open sessions. */
  readonly allBytes: number
  /** Of the active sessions of the account, its guests' included. */
  readonly ownBytes: number
  /** Of the active sessions of other accounts: of each at most as much as it has received. */
  readonly othersEarnedBytes: number
  /** What these sessions lack beyond that: of each account at most `accountBytesMax`. */
  readonly othersUnearnedBytes: number
}

export interface UploadReads {
  find(uploadId: UploadId): Promise<Upload | undefined>
  /** One statement. `offset` is undefined if the request names none. */
  findAt(uploadId: UploadId, offset: number | undefined): Promise<FoundUpload | undefined>
  findByIdempotencyKey(opaqueId: OpaqueId, idempotencyKey: string): Promise<DropUpload | undefined>
  chunkAt(uploadId: UploadId, offset: number): Promise<Chunk | undefined>
  /** In the order of their offsets. */
  chunks(uploadId: UploadId): Promise<readonly Chunk[]>
  /** Open sessions of one link. */
  openOf(opaqueId: OpaqueId): Promise<readonly Upload[]>
  /** Open and finishing sessions of one asset, oldest first. */
  unclosedOfAsset(assetId: AssetId): Promise<readonly AssetUpload[]>
  /** Open and finishing sessions of one account, its guests' included, oldest first. */
  unclosedOfAccount(accountId: AccountId): Promise<readonly Upload[]>
  /** At most `max` of the same, without what was declared. `next` is where the following page begins; undefined after the last one. */
  unclosedPage(
    accountId: AccountId,
    from: { readonly after: UnclosedPlace | undefined; readonly max: number },
  ): Promise<{ readonly uploads: readonly UnclosedUpload[]; readonly next: UnclosedPlace | undefined }>
  /** How many drops of one account are pending, and how many sessions are open or finishing, its guests' included. One statement. */
  countLanding(accountId: AccountId): Promise<{ readonly pendingDrops: number; readonly unclosed: number }>
  /** How many of the owner's own uploads are open or finishing, and how many of them this session opened. */
  countUnclosedOwn(
    accountId: AccountId,
    sessionId?: SessionId,
  ): Promise<{ readonly all: number; readonly ofSession: number }>
  /** All finishing sessions that `by` may complete at `at`: without a lease of another process. */
  finishing(who: { readonly by: string; readonly at: Instant }): Promise<readonly UploadId[]>
  /**
   * At most `max` open sessions that were created before `noChunkBefore` and have no chunk, or received their last chunk before `idleBefore`, or were
   * created before `createdBefore`.
   */
  expired(limits: {
    readonly noChunkBefore: Instant
    readonly idleBefore: Instant
    readonly createdBefore: Instant
    readonly max: number
  }): Promise<readonly Upload[]>
  /** What open sessions have declared and not received yet. Those count as active that were created or received a chunk at `activeSince` or later. */
  claims(given: {
    readonly accountId: AccountId
    readonly activeSince: Instant
    readonly accountBytesMax: number
  }): Promise<Claims>
}

export interface WholeUpload extends Pick<Upload, 'uploadId' | 'size' | 'ciphertextHash'>, Pick<StoredChunk, 'key'> {}

export interface UploadWrites {
  insert(upload: NewUpload): Promise<void>
  /** Replaces the declaration of an owner's open session. Throws if it is not open. */
  redeclare(
    uploadId: UploadId,
    declaration: Pick<NewAssetUpload, 'contentType' | 'envelope' | 'declarationHash'>,
  ): Promise<void>
  /**
   * Appends a chunk to an open session, and keeps its part if it has a key. False, and nothing changed, if the session is not open or has not received exactly
   * `chunk.offset` bytes: a compare-and-set. With `finishing`, the session moves to finishing under this lease. Throws `StorageUnavailable`, and the transaction
   * must not commit, if the part was given up.
   */
  append(uploadId: UploadId, chunk: StoredChunk, at: Instant, finishing?: Lease): Promise<boolean>
  /**
   * Appends to each of 1 to 64 open sessions one chunk that is all of it, with the declared checksum, keeps its part if it has a key, and moves the session to
   * landed. Answers which have landed: not one that is not open or has received bytes. Unless it is all of them, the transaction must not commit. Throws as
   * `append` does.
   */
  landWhole(uploads: readonly WholeUpload[], at: Instant): Promise<readonly UploadId[]>
  /** Says that a request writes to an open session until then. Nothing changes if the session is not open, or says a later instant already. A chunk that it appends ends this. */
  markWriting(uploadId: UploadId, until: Instant): Promise<void>
  /** Leases a finishing session. False, and nothing changed, if another process has a lease at `at`, or it is not finishing. One conditional statement. */
  lease(uploadId: UploadId, lease: Lease & { readonly at: Instant }): Promise<boolean>
  /** Removes the chunks of an open session from `offset` on, because their bytes are lost. */
  removeChunksFrom(uploadId: UploadId, offset: number): Promise<void>
  /**
   * Moves a session to another state. One that fails or ends keeps nothing of its declaration but size and hash; one that ends, no chunks.
   * False, and nothing changed, if it is not in `from`: a compare-and-set. With `receivedBytes`, also false if it has not
   * received exactly so many bytes, or a request writes to it at `at`. `at` becomes `closedAt` unless `to` is finishing. Pass `failure` only if `to` is
   * failed, and `lease` only if it is finishing.
   */
  move(
    uploadId: UploadId,
    step: {
      readonly from: UploadState
      readonly to: UploadState
      readonly at: Instant
      readonly failure?: UploadFailure | undefined
      readonly lease?: Lease | undefined
      readonly receivedBytes?: number | undefined
    },
  ): Promise<boolean>
  /**
   * Removes sessions that closed before `closedBefore`, and those that failed or ended before `unlandedBefore`, at most `max` of each, and their chunks. Receipts
   * stay. Answers how many sessions.
   */
  prune(which: {
    readonly closedBefore: Instant
    readonly unlandedBefore: Instant
    readonly max: number
  }): Promise<number>
}
