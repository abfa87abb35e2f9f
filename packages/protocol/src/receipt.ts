/**
 * The custody receipt: a COSE_Sign message over deterministic CBOR (RFC 9052, RFC 8949 section 4.2.1), signed by both
 * halves of the server's hybrid key. Only its bytes are authoritative (specification, AssetReceipt).
 */
import { type Bytes, toBase64 } from './bytes.ts'
import {
  assembleCose,
  type CoseMessage,
  type CoseToBeSigned,
  coseToBeSigned,
  type HybridSignatures,
  type HybridVerifiers,
} from './cose.ts'
import { type KeyId, parseKeyId, parseSha256Hex, type Sha256Hex } from './ids.ts'
import type { AssetReceipt } from './schemas/receipts.ts'
import { sha256Hex } from './sha256Hex.ts'
import { decodeSigned, verifySigned } from './signed/message.ts'
import { decodePayload, encodePayload, ReceiptError, type ReceiptPayload } from './signed/receiptPayload.ts'
import { SERVICE } from './wire.ts'

export type { HybridSignatures, HybridVerifiers } from './cose.ts'
export { ReceiptError, type ReceiptFault, type ReceiptPayload } from './signed/receiptPayload.ts'

export const RECEIPT_CONTENT_TYPE = `application/${SERVICE}-receipt+cbor`

/** About 3.9 KiB is usual. Longer receipts are refused before they are decoded. */
export const MAX_RECEIPT_BYTES = 16_384

/** The fields of a receipt, the key that signed it, and its hash, which the next receipt contains. */
export interface DecodedReceipt {
  readonly payload: ReceiptPayload
  readonly keyId: KeyId
  readonly hash: Sha256Hex
}

/**
 * `ed25519` and `mlDsa65` of the result are the byte strings that the server's two keys sign. Pass the result to
 * `assembleReceipt` with the signatures. Throws `ReceiptError` for a payload that a reader would refuse.
 */
export function receiptToBeSigned(payload: ReceiptPayload, keyId: KeyId): CoseToBeSigned {
  return coseToBeSigned({ contentType: RECEIPT_CONTENT_TYPE, payload: encodePayload(payload), keyId })
}

/** The bytes of `receipt_cbor`. Throws `RangeError` for signatures that are not 64 and 3309 bytes. */
export function assembleReceipt(toBeSigned: CoseToBeSigned, signatures: HybridSignatures): Bytes {
  return assembleCose(toBeSigned, signatures)
}

/** SHA-256 of a whole `receipt_cbor`, lowercase hex: the `prior_receipt_hash` of the next receipt. */
export function receiptHash(receiptCbor: Uint8Array): Sha256Hex {
  return sha256Hex(receiptCbor)
}

/** Reads a receipt without verifying its signatures. Throws `ReceiptError` for anything but the one accepted form. */
export function decodeReceipt(receiptCbor: Uint8Array): DecodedReceipt {
  return decodedFrom(decodeSigned(receiptCbor, KIND), receiptCbor)
}

function decodedFrom(message: CoseMessage, receiptCbor: Uint8Array): DecodedReceipt {
  const keyId = parseKeyId(message.keyId)
  if (keyId === undefined) throw new ReceiptError('key_id', 'the key id is not 32 bytes')
  return { payload: decodePayload(message.payload), keyId, hash: receiptHash(receiptCbor) }
}

const KIND = {
  contentType: RECEIPT_CONTENT_TYPE,
  maxBytes: MAX_RECEIPT_BYTES,
  what: 'a receipt',
  Refusal: ReceiptError,
}

interface ReceiptVerification {
  readonly receiptCbor: Uint8Array
  /** The 1984 published bytes of the key that `server_key_id` names. */
  readonly publicKey: Uint8Array
  readonly verify: HybridVerifiers
}

/**
 * Reads a receipt and verifies both signatures. Throws `ReceiptError` unless both are valid and the key is the one that
 * the receipt names. The caller checks that server and blob are the right ones.
 */
export async function verifyReceipt({ receiptCbor, publicKey, verify }: ReceiptVerification): Promise<DecodedReceipt> {
  const message = decodeSigned(receiptCbor, KIND)
  const decoded = decodedFrom(message, receiptCbor)
  await verifySigned(message, { publicKey, verify, Refusal: ReceiptError })
  return decoded
}

/** The receipt as in answers (specification, AssetReceipt). Throws `ReceiptError` for bytes that are not a receipt. */
export function readReceipt(receiptCbor: Uint8Array): AssetReceipt {
  const { payload, keyId } = decodeReceipt(receiptCbor)
  const fingerprint = parseSha256Hex(keyId)
  if (fingerprint === undefined) throw new ReceiptError('key_id', 'the key id is not 32 bytes')
  return {
    receipt_seq: payload.receipt_seq,
    server_id: payload.server_id,
    server_key_id: fingerprint,
    ...(payload.prior_receipt_hash === undefined ? {} : { prior_receipt_hash: payload.prior_receipt_hash }),
    upload_id: payload.upload_id,
    blob_role: payload.blob_role,
    ciphertext_hash: payload.ciphertext_hash,
    size: payload.size,
    ...(payload.envelope_hash === undefined ? {} : { envelope_hash: payload.envelope_hash }),
    received_at: payload.received_at,
    receipt_cbor: toBase64(receiptCbor),
  }
}
