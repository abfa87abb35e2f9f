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
import { given, givenJson, inner, later, type New, optional, type Row, sequence } from '../columns.ts'

export const assets = {
  assetId: given<AssetId>(),
  accountId: given<AccountId>(),
  albumId: given<AlbumId>(),
  /** This and the next three are of the drop that became the original. They are set together, or all are absent. */
  dropId: later<DropId>(),
  opaqueId: later<OpaqueId>(),
  kemCt: later<Uint8Array>(),
  dropReceivedAt: later<Instant>(),
  /** When its first blob landed; absent as long as the id is only reserved. */
  createdAt: later<Instant>(),
  changedAt: later<Instant>(),
  /** Present on a tombstone: it has no blobs, and its id stays taken. */
  deletedAt: later<Instant>(),
  /** The number of its last change; absent as long as the id is only reserved. */
  changeSeq: inner(later<number>()),
}

export const assetBlobs = {
  /** The order of landing. */
  blobSeq: sequence(),
  assetId: given<AssetId>(),
  /** The account of its asset. */
  accountId: inner(given<AccountId>()),
  role: given<BlobRole>(),
  ciphertextHash: given<Sha256Hex>(),
  size: given<number>(),
  contentType: given<string>(),
  /** The location of its object, which belongs only to this blob. */
  location: given<string>(),
  /** The upload session that brought it; for an adopted drop, the guest's session. */
  uploadId: given<UploadId>(),
  /** As the client declared it: verbatim, with its members in their original order. */
  envelope: givenJson<ManifestEnvelope>(),
  landedAt: given<Instant>(),
  /** What it adds to the retention of its asset: from the envelope, or raised since by the owner. */
  retainedUntil: optional<Instant>(),
  /** Of metadata that wait for a manifest that names them: the hash of the provenance that it will replace. */
  pendingAfter: optional<Sha256Hex>(),
}

export type NewAsset = New<typeof assets>
export type AssetBlob = Row<typeof assetBlobs>

/** The drop that became an asset's original. */
export interface AdoptedDrop {
  readonly dropId: DropId
  readonly opaqueId: OpaqueId
  readonly kemCt: Uint8Array
  readonly receivedAt: Instant
}

type AssetRow = Row<typeof assets>

export interface Asset extends NewAsset, Pick<AssetRow, 'createdAt' | 'changedAt' | 'deletedAt'> {
  /** Present as long as the original is an adopted drop. */
  readonly drop: AdoptedDrop | undefined
}

/** One that holds a blob or has held one. */
export type CreatedAsset = Asset & { readonly createdAt: Instant; readonly changedAt: Instant }
