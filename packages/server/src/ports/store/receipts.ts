import type { AssetId, DropId, Instant, KeyId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'

/** The receipt log. */

export interface ReceiptRow {
  readonly receiptSeq: number
  /** SHA-256 of `receiptCbor`. */
  readonly receiptHash: Sha256Hex
  readonly receiptCbor: Uint8Array
  readonly keyId: KeyId
  readonly uploadId: UploadId
  /** Of a landing. */
  readonly dropId: DropId | undefined
  /** Of a blob that an asset took. */
  readonly assetId: AssetId | undefined
  readonly receivedAt: Instant
}

/** Where the chain stands. */
export interface LogHead {
  readonly receiptSeq: number
  readonly receiptHash: Sha256Hex
  readonly receivedAt: Instant
}

export interface ReceiptReads {
  /** Undefined before the first receipt. */
  head(): Promise<LogHead | undefined>
  /** The first of an upload: a drop's landing comes before its adoption. */
  ofUpload(uploadId: UploadId): Promise<ReceiptRow | undefined>
  /** All that cover an asset, in the order of the chain: of every blob that it ever took, and of the landings of drops that it adopted. */
  ofAsset(assetId: AssetId): Promise<readonly ReceiptRow[]>
}

export interface ReceiptWrites {
  /**
   * Appends `rows` and moves the head from `from` to the last of them. False, and nothing changed, when the head is not `from`:
   * a compare-and-set, the net under the log's lock.
   */
  append(from: LogHead | undefined, rows: readonly ReceiptRow[]): Promise<boolean>
}
