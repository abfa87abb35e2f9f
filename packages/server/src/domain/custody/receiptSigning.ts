/** Signs a batch of receipts, each chained to the one before it. Nothing is written. */
import {
  type AssetId,
  type DropId,
  formatInstant,
  instantOf,
  type Sha256Hex,
  type UploadId,
} from '@blindkeep/protocol/ids'
import { assembleReceipt, type ReceiptPayload, receiptHash, receiptToBeSigned } from '@blindkeep/protocol/receipt'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Clock } from '../../ports/clock.ts'
import type { AttestationSigner } from '../../ports/keyring.ts'
import type { AttestationKey, LogHead, ReceiptRow } from '../../ports/store.ts'
import type { SignerOf } from './keys.ts'

interface SigningPorts {
  readonly clock: Clock
  readonly serverId: string
  readonly signerOf: SignerOf
}

/** What a receipt vouches for. */
export interface ReceiptSubject {
  readonly uploadId: UploadId
  /** For a landed drop. Exactly one of `dropId` and `assetId` is given. */
  readonly dropId?: DropId
  /** For a blob of an asset. */
  readonly assetId?: AssetId
  readonly blobRole: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  /** SHA-256 of the signed manifest; given for a provenance blob only. */
  readonly envelopeHash?: Sha256Hex
}

/** What the next receipt continues, and the key that signs it. */
export interface LogState {
  readonly head: LogHead | undefined
  /** Every receipt_seq from now on is above it. */
  readonly floor: number
  readonly key: AttestationKey
}

export function createReceiptSigning({ clock, serverId, signerOf }: SigningPorts) {
  return async function signAll(
    subjects: readonly ReceiptSubject[],
    { head, floor, key }: LogState,
  ): Promise<readonly ReceiptRow[]> {
    const signer = signerOf(key)
    const rows: ReceiptRow[] = []
    for (const subject of subjects) {
      const prior = rows.at(-1) ?? head
      const receiptSeq = Math.max(prior?.receiptSeq ?? 0, floor) + 1
      // Even after the clock was set back, a receipt is not dated before the one it follows, or before its key became active.
      const receivedAt = instantOf(Math.max(clock.now(), key.activeFrom, prior?.receivedAt ?? 0))
      const payload: ReceiptPayload = {
        server_id: serverId,
        receipt_seq: receiptSeq,
        ...(prior && { prior_receipt_hash: prior.receiptHash }),
        ...payloadOf(subject),
        received_at: formatInstant(receivedAt),
      }
      const receiptCbor = await sign(payload, key, signer)
      const { uploadId, dropId, assetId } = subject
      const { keyId } = key
      rows.push({
        receiptSeq,
        receiptHash: receiptHash(receiptCbor),
        receiptCbor,
        keyId,
        uploadId,
        dropId,
        assetId,
        receivedAt,
      })
    }
    return rows
  }
}

function payloadOf(subject: ReceiptSubject) {
  return {
    upload_id: subject.uploadId,
    ...(subject.dropId && { drop_id: subject.dropId }),
    ...(subject.assetId && { asset_id: subject.assetId }),
    blob_role: subject.blobRole,
    ciphertext_hash: subject.ciphertextHash,
    size: subject.size,
    ...(subject.envelopeHash && { envelope_hash: subject.envelopeHash }),
  }
}

async function sign(
  payload: ReceiptPayload,
  { keyId }: AttestationKey,
  signer: AttestationSigner,
): Promise<Uint8Array> {
  const toBeSigned = receiptToBeSigned(payload, keyId)
  const [ed25519, mlDsa65] = await Promise.all([signer.ed25519(toBeSigned.ed25519), signer.mlDsa65(toBeSigned.mlDsa65)])
  return assembleReceipt(toBeSigned, { ed25519, mlDsa65 })
}
