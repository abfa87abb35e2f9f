import type { KeyId } from '@blindkeep/protocol/ids'
import { assembleReceipt, type ReceiptPayload, receiptHash, receiptToBeSigned } from '@blindkeep/protocol/receipt'
import { answerOrders } from '../../ground/orderThread.ts'
import { type SigningKey, signMessage } from '../../ground/signatures.ts'
import type { SignedReceipt } from '../../ports/keyring.ts'

export interface SigningOrder {
  readonly ed25519: SigningKey
  readonly mlDsa65: SigningKey
  readonly payloads: readonly ReceiptPayload[]
  readonly keyId: KeyId
}

function signChain({ ed25519, mlDsa65, payloads, keyId }: SigningOrder): readonly SignedReceipt[] {
  const receipts: SignedReceipt[] = []
  for (const payload of payloads) {
    const prior = receipts.at(-1)?.receiptHash ?? payload.prior_receipt_hash
    const toBeSigned = receiptToBeSigned({ ...payload, prior_receipt_hash: prior }, keyId)
    const receiptCbor = assembleReceipt(toBeSigned, {
      ed25519: signMessage(ed25519, toBeSigned.ed25519),
      mlDsa65: signMessage(mlDsa65, toBeSigned.mlDsa65),
    })
    receipts.push({ receiptCbor, receiptHash: receiptHash(receiptCbor) })
  }
  return receipts
}

answerOrders(signChain)
