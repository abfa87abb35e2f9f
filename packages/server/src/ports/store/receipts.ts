/** The receipt log. */
import type { AssetId, DropId, Instant, KeyId, OpaqueId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { AttestationKey } from './keys.ts'

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

/** What the next receipt continues, and what it depends on, at one instant. */
export interface LogEnd {
  /** Undefined before the first receipt. */
  readonly head: LogHead | undefined
  /** The attestation key without an end. */
  readonly key: AttestationKey | undefined
  /** The fact `receipt_seq_floor`. */
  readonly floor: Uint8Array | undefined
  /** Of the receipt with the number that was asked for. */
  readonly hash: Sha256Hex | undefined
}

export interface ReceiptReads {
  /** In one statement. */
  end(receiptSeq: number): Promise<LogEnd>
  /** Undefined before the first receipt. */
  head(): Promise<LogHead | undefined>
  hashOf(receiptSeq: number): Promise<Sha256Hex | undefined>
  /** The first receipt of an upload: a drop's landing comes before its adoption. */
  ofUpload(uploadId: UploadId): Promise<ReceiptRow | undefined>
  /** The same for a guest, who names the link, too. Undefined unless the upload has landed there. */
  ofDrop(scope: { readonly opaqueId: OpaqueId; readonly uploadId: UploadId }): Promise<ReceiptRow | undefined>
  /** All receipts about an asset, in the order of the chain: for every blob that it ever had, and for the landings of the drops that it adopted. */
  ofAsset(assetId: AssetId): Promise<readonly ReceiptRow[]>
}

export interface AppendedUnder {
  readonly keyId: KeyId
  /** The fact `receipt_seq_floor`. */
  readonly floor: Uint8Array | undefined
  /** What is written with the receipts, once the head has moved. */
  beside(): Promise<void>
}

export interface ReceiptWrites {
  /**
   * Appends `rows` and moves the head from `from` to the last of them. False, and nothing changed, if the head is not `from`, or if the active key or
   * the floor is not as `under` has it: this compare-and-set protects the chain even without the log's lock.
   */
  append(from: LogHead | undefined, rows: readonly ReceiptRow[], under?: AppendedUnder): Promise<boolean>
}
