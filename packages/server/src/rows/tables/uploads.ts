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
import { counter, given, inner, later, optional, optionalJson, type Row } from '../columns.ts'

export type UploadState = 'open' | 'finishing' | 'landed' | 'failed' | 'ended'

/** Why a session failed. */
export type UploadFailure = 'content_hash_wrong' | 'manifest_mismatch' | 'manifest_stale' | 'asset_id_taken'

/** Who opened a guest's session, as keyed hashes. Kept as long as the session is not closed. */
export interface Opener {
  /** Of the guest's network together with the link. */
  readonly network: string
  /** Of the guest's address. */
  readonly source: string
  /** Whether the link counted it as one of the first of its network. */
  readonly isFirst: boolean
}

/** A guest's row has the columns of its link, an owner's row those of its asset. */
export const uploads = {
  uploadId: given<UploadId>(),
  /** The account that is charged. */
  accountId: given<AccountId>(),
  opaqueId: optional<OpaqueId>(),
  assetId: optional<AssetId>(),
  albumId: optional<AlbumId>(),
  role: optional<BlobRole>(),
  size: given<number>(),
  ciphertextHash: given<Sha256Hex>(),
  contentType: given<string>(),
  kemCt: optional<Uint8Array>(),
  envelope: optionalJson<ManifestEnvelope>(),
  suggestedFilename: optional<string>(),
  /** The client's Idempotency-Key, unique on its link. */
  idempotencyKey: optional<string>(),
  /** SHA-256 of the declaration: tells a repeated request from another one. */
  declarationHash: given<string>(),
  location: given<string>(),
  createdAt: given<Instant>(),
  state: given<UploadState>(),
  /** Present if it failed. */
  failure: later<UploadFailure>(),
  receivedBytes: counter(),
  chunkCount: counter(),
  lastChunkAt: later<Instant>(),
  /** When it landed, failed or ended. */
  closedAt: later<Instant>(),
  /** Absent if the guest's address is unknown. This and the next four are absent once it is closed. */
  opener: optionalJson<Opener>(),
  /** Which session of its owner opened it. Absent in a row of an earlier build. */
  sessionId: optional<SessionId>(),
  /** Until when a request counts as writing. A long one renews it, so that other processes see the client. */
  writingUntil: later<Instant>(),
  /** The process that finishes it. */
  leasedBy: later<string>(),
  leasedUntil: later<Instant>(),
}

export const chunks = {
  uploadId: inner(given<UploadId>()),
  offset: given<number>(),
  length: given<number>(),
  checksum: given<Sha256Hex>(),
}

export type UploadRow = Row<typeof uploads>

/** What both guests and owners declare. */
type NewSession = Pick<
  UploadRow,
  'uploadId' | 'accountId' | 'size' | 'ciphertextHash' | 'contentType' | 'declarationHash' | 'location' | 'createdAt'
>

/** A guest's session: it lands as a drop. */
export interface NewDropUpload extends NewSession, Pick<UploadRow, 'suggestedFilename' | 'idempotencyKey' | 'opener'> {
  readonly opaqueId: OpaqueId
  readonly kemCt: Uint8Array
  readonly assetId?: undefined
}

/** An owner's session: it lands as a blob of an asset. */
export interface NewAssetUpload extends NewSession, Partial<Pick<UploadRow, 'sessionId'>> {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  readonly role: BlobRole
  readonly envelope: ManifestEnvelope
  readonly opaqueId?: undefined
}

export type NewUpload = NewDropUpload | NewAssetUpload

/** The mark of the process that completes a session or an adoption. Until it ends, other processes wait. */
export interface Lease {
  readonly by: string
  readonly until: Instant
}

interface Progress
  extends Pick<
    UploadRow,
    'state' | 'receivedBytes' | 'chunkCount' | 'lastChunkAt' | 'writingUntil' | 'closedAt' | 'failure'
  > {
  /** Of the process that finishes it. */
  readonly lease: Lease | undefined
}

export type DropUpload = NewDropUpload & Progress
export type AssetUpload = NewAssetUpload & Progress
export type Upload = DropUpload | AssetUpload

/** What the end of an upload needs: nothing that its client declared, so that it also ends if that cannot be read. */
export type EndingUpload = Pick<Upload, 'uploadId' | 'accountId' | 'size' | 'location' | 'receivedBytes'> &
  (Pick<NewDropUpload, 'opaqueId' | 'assetId'> | Pick<NewAssetUpload, 'opaqueId' | 'assetId'>)

/** What the list of unfinished uploads says: of a guest's its link, of an owner's asset and role. */
export type UnclosedUpload = Pick<Upload, 'uploadId' | 'size' | 'receivedBytes' | 'state' | 'createdAt'> &
  (Pick<NewDropUpload, 'opaqueId' | 'assetId'> | Pick<NewAssetUpload, 'assetId' | 'role'>)

export type Chunk = Row<typeof chunks>

/** A chunk and where its bytes are. */
export interface StoredChunk extends Chunk {
  /** Only in a store with keys. */
  readonly key?: string | undefined
}
