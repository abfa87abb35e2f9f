import type { AccountId, AlbumId, AssetId, Instant, OpaqueId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'

/** Upload sessions and their chunks. */

export type UploadState = 'open' | 'finishing' | 'landed' | 'failed' | 'ended'

/** Why a session failed. */
export type UploadFailure = 'content_hash_wrong' | 'manifest_mismatch' | 'manifest_stale' | 'asset_id_taken'

interface NewSession {
  readonly uploadId: UploadId
  /** Who is charged. */
  readonly accountId: AccountId
  readonly size: number
  readonly ciphertextHash: Sha256Hex
  readonly contentType: string
  /** SHA-256 of what was declared, to tell a repeat from another declaration. */
  readonly declarationHash: string
  readonly location: string
  readonly createdAt: Instant
}

/** A guest's: it lands as a drop. */
export interface NewDropUpload extends NewSession {
  readonly opaqueId: OpaqueId
  readonly kemCt: Uint8Array
  readonly suggestedFilename: string | undefined
  /** The client's Idempotency-Key, unique on its link. */
  readonly idempotencyKey: string | undefined
  readonly assetId?: undefined
}

/** An owner's: it lands as a blob of an asset. */
export interface NewAssetUpload extends NewSession {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  readonly role: BlobRole
  readonly envelope: ManifestEnvelope
  readonly opaqueId?: undefined
}

export type NewUpload = NewDropUpload | NewAssetUpload

interface Progress {
  readonly state: UploadState
  readonly receivedBytes: number
  readonly chunkCount: number
  readonly lastChunkAt: Instant | undefined
  /** When it landed, failed or ended. */
  readonly closedAt: Instant | undefined
  /** Given when it failed. */
  readonly failure: UploadFailure | undefined
}

export type DropUpload = NewDropUpload & Progress
export type AssetUpload = NewAssetUpload & Progress
export type Upload = DropUpload | AssetUpload

export interface Chunk {
  readonly offset: number
  readonly length: number
  readonly checksum: Sha256Hex
}

export interface UploadReads {
  find(uploadId: UploadId): Promise<Upload | undefined>
  findByIdempotencyKey(opaqueId: OpaqueId, idempotencyKey: string): Promise<DropUpload | undefined>
  chunkAt(uploadId: UploadId, offset: number): Promise<Chunk | undefined>
  /** In the order of their offsets. */
  chunks(uploadId: UploadId): Promise<readonly Chunk[]>
  /** Of one link, still open. */
  openOf(opaqueId: OpaqueId): Promise<readonly Upload[]>
  /** On their way to one asset, open or finishing, oldest first. */
  unclosedOfAsset(assetId: AssetId): Promise<readonly AssetUpload[]>
  /** All that one account is charged for and that has not closed, guests' included, oldest first. */
  unclosedOfAccount(accountId: AccountId): Promise<readonly Upload[]>
  /** How many are open or finishing that one account is charged for, guests' included. */
  countUnclosed(accountId: AccountId): Promise<number>
  /** How many of an account's own, guests' not counted, are open or finishing. */
  countUnclosedOwn(accountId: AccountId): Promise<number>
  /** All that a start-up has to finish. */
  finishing(): Promise<readonly UploadId[]>
  /** Open ones without a chunk created before `noChunkBefore`, with their last chunk before `idleBefore`, or created before `createdBefore`. */
  runOut(limits: {
    readonly noChunkBefore: Instant
    readonly idleBefore: Instant
    readonly createdBefore: Instant
    readonly most: number
  }): Promise<readonly Upload[]>
  /** Bytes that open sessions have declared and not yet sent. */
  outstandingBytes(): Promise<number>
}

export interface UploadWrites {
  insert(upload: NewUpload): Promise<void>
  /** What an owner's session is declared as, said anew. Throws when it is not open. */
  redeclare(
    uploadId: UploadId,
    declaration: Pick<NewAssetUpload, 'contentType' | 'envelope' | 'declarationHash'>,
  ): Promise<void>
  /**
   * Records a chunk at the end of what an open session has, and with it the new end. False, and nothing changed, when the session is not open
   * or its end is not `chunk.offset`: a compare-and-set.
   */
  append(uploadId: UploadId, chunk: Chunk, at: Instant): Promise<boolean>
  /** Forgets the chunks of an open session from `offset` on: the bytes behind them are gone. */
  fallBack(uploadId: UploadId, offset: number): Promise<void>
  /**
   * Moves a session on. False, and nothing changed, when it is not in `from`: a compare-and-set. `at` becomes `closedAt` unless `to` is finishing;
   * `failure` says why it failed, and is left out otherwise.
   */
  move(
    uploadId: UploadId,
    step: {
      readonly from: UploadState
      readonly to: UploadState
      readonly at: Instant
      readonly failure?: UploadFailure | undefined
    },
  ): Promise<boolean>
  /** Forgets sessions, with their chunks, that closed before `before` (landed, failed and ended ones alike). Receipts stay. */
  prune(before: Instant): Promise<void>
}
