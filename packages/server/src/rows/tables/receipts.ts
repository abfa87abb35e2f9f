/** The receipt log. */
import type { AssetId, DropId, Instant, KeyId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import { given, inner, optional, type Row } from '../columns.ts'

export const receipts = {
  receiptSeq: given<number>(),
  /** SHA-256 of `receiptCbor`. */
  receiptHash: given<Sha256Hex>(),
  receiptCbor: given<Uint8Array>(),
  keyId: given<KeyId>(),
  uploadId: given<UploadId>(),
  /** Present if the receipt is for a landing. */
  dropId: optional<DropId>(),
  /** Present if the receipt is for a blob of an asset. */
  assetId: optional<AssetId>(),
  receivedAt: given<Instant>(),
}

/** One row: the last receipt of the chain. */
export const logHead = {
  onlyRow: inner(given<1>()),
  receiptSeq: given<number>(),
  receiptHash: given<Sha256Hex>(),
  receivedAt: given<Instant>(),
}

export type ReceiptRow = Row<typeof receipts>

/** The end of the chain: its last receipt. */
export type LogHead = Row<typeof logHead>
