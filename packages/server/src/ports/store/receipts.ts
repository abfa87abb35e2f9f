/** The receipt log. */
import type { AssetId, DropId, Instant, KeyId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'

export interface ReceiptRow {
  readonly receiptSeq: number
  /** SHA-256 of `receiptCbor`. */
  readonly receiptHash: Sha256Hex
  readonly receiptCbor: Uint8Array
  readonly keyId: KeyId
  readonly uploadId: UploadId
  /** Present if the receipt is for a landing. */
  readonly dropId: DropId | undefined
  /** Present if the receipt is for a blob of an asset. */
  readonly assetId: AssetId | undefined
  readonly receivedAt: Instant
}

/** The end of the chain: its last receipt. */
export interface LogHead {
  readonly receiptSeq: number
  readonly receiptHash: Sha256Hex
  readonly receivedAt: Instant
}

export interface ReceiptReads {
  /** Undefined before the first receipt. */
  head(): Promise<LogHead | undefined>
  hashOf(receiptSeq: number): Promise<Sha256Hex | undefined>
  /** The first receipt of an upload: a drop's landing comes before its adoption. */
  ofUpload(uploadId: UploadId): Promise<ReceiptRow | undefined>
  /** All receipts about an asset, in the order of the chain: for every blob that it ever had, and for the landings of the drops that it adopted. */
  ofAsset(assetId: AssetId): Promise<readonly ReceiptRow[]>
}

export interface ReceiptWrites {
  /**
   * Appends `rows` and moves the head from `from` to the last of them. False, and nothing changed, if the head is not `from`: this compare-and-set protects
   * the chain even if the log's lock fails.
   */
  append(from: LogHead | undefined, rows: readonly ReceiptRow[]): Promise<boolean>
}
