import type { DropId, Instant, KeyId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'

/** The receipt log. */

export interface ReceiptRow {
  readonly receiptSeq: number
  /** SHA-256 of `receiptCbor`. */
  readonly receiptHash: Sha256Hex
  readonly receiptCbor: Uint8Array
  readonly keyId: KeyId
  readonly uploadId: UploadId
  readonly dropId: DropId | undefined
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
  ofUpload(uploadId: UploadId): Promise<ReceiptRow | undefined>
}

export interface ReceiptWrites {
  /**
   * Appends `rows` and moves the head from `from` to the last of them. False, and nothing changed, when the head is not `from`:
   * a compare-and-set, the net under the log's lock.
   */
  append(from: LogHead | undefined, rows: readonly ReceiptRow[]): Promise<boolean>
}
