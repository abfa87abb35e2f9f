/** Signs a batch of receipts, each chained to the one before it. Nothing is written. */
import {
  type AssetId,
  type DropId,
  formatInstant,
  instantOf,
  type Sha256Hex,
  type UploadId,
} from '@blindkeep/protocol/ids'
import type { ReceiptPayload } from '@blindkeep/protocol/receipt'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Clock } from '../../ports/clock.ts'
import type { AttestationKey, LogHead, ReceiptRow } from '../../ports/store.ts'
import type { SignerOf } from './keys.ts'
import { floorIn } from './receiptSeqFloor.ts'

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
  /** Every receipt_seq from now on is above what this fact says. */
  readonly floor: Uint8Array | undefined
  readonly key: AttestationKey
}

export function createReceiptSigning({ clock, serverId, signerOf }: SigningPorts) {
  return async function signAll(
    subjects: readonly ReceiptSubject[],
    { head, floor, key }: LogState,
  ): Promise<readonly ReceiptRow[]> {
    const numbered = numbers(subjects, { head, floor, key })
    const payloads = numbered.map(
      ({ subject, receiptSeq, receivedAt }): ReceiptPayload => ({
        server_id: serverId,
        receipt_seq: receiptSeq,
        ...payloadOf(subject),
        received_at: formatInstant(receivedAt),
      }),
    )
    const [first, ...others] = payloads
    if (first === undefined) return []
    const chained = [{ ...first, ...(head && { prior_receipt_hash: head.receiptHash }) }, ...others]
    const receipts = await signerOf(key).receipts(chained, key.keyId)
    return numbered.map(({ subject: { uploadId, dropId, assetId }, receiptSeq, receivedAt }, at) => {
      const receipt = receipts[at]
      if (receipt === undefined) throw new Error('a receipt was not signed')
      return { ...receipt, receiptSeq, keyId: key.keyId, uploadId, dropId, assetId, receivedAt }
    })
  }

  /** Even with the clock set back, a receipt is not dated before its predecessor or its key's activation. */
  function numbers(subjects: readonly ReceiptSubject[], { head, floor, key }: LogState) {
    const first = Math.max(head?.receiptSeq ?? 0, floorIn(floor)) + 1
    const receivedAt = instantOf(Math.max(clock.now(), key.activeFrom, head?.receivedAt ?? 0))
    return subjects.map((subject, at) => ({ subject, receiptSeq: first + at, receivedAt }))
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
