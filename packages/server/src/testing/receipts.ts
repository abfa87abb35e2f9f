import { createPublicKey, verify } from 'node:crypto'
import { parseAccountId, parseDropId, parseSha256Hex, parseUploadId } from '@blindkeep/protocol/ids'
import type { HybridVerifiers, ReceiptPayload } from '@blindkeep/protocol/receipt'
import { systemRandom } from '../adapters/system/random.ts'
import type { CommitDraft } from '../domain/custody/receiptBatches.ts'
import { createGate } from './faults.ts'
import { bytes } from './guest.ts'
import { defined, sha256, type World } from './world.ts'

const publicKeyOf = (type: 'ed25519' | 'ml-dsa-65', raw: Uint8Array) =>
  createPublicKey({ key: Buffer.from(raw), format: 'raw-public', asymmetricKeyType: type })

export const verifiers: HybridVerifiers = {
  ed25519: (publicKey, message, signature) => verify(null, message, publicKeyOf('ed25519', publicKey), signature),
  mlDsa65: (publicKey, message, signature) => verify(null, message, publicKeyOf('ml-dsa-65', publicKey), signature),
}

/** Locks the receipt log, so that no receipt is signed until `release`, which resolves when the lock is free. */
export async function lockReceiptLog({ store }: World): Promise<{ release(): Promise<void> }> {
  const [isLocked, gate] = [createGate(), createGate()]
  const hold = async () => {
    isLocked.open()
    await gate.passed
  }
  // Among nodes a lone receipt does without the lock, but not without the one of its commit.
  const lock = store.withReceiptLogLock(() => (store.mayLoseOutcome ? store.write(['chain'], hold) : hold()))
  await isLocked.passed
  return {
    async release() {
      gate.open()
      await lock
    },
  }
}

/** A draft for the log: the landing of some drop of some account. It writes no rows unless `commit` does. */
export const draft = (commit: CommitDraft['commit'] = async () => undefined): CommitDraft => ({
  accountId: defined(parseAccountId(systemRandom.uuid())),
  subject: {
    uploadId: defined(parseUploadId(systemRandom.uuid())),
    dropId: defined(parseDropId(systemRandom.uuid())),
    blobRole: 'original',
    ciphertextHash: sha256(bytes(8)),
    size: 8,
  },
  commit,
})

/** What a receipt with this number says: some drop's. */
export const payload = (receiptSeq: number): ReceiptPayload => ({
  server_id: 'https://keep.example',
  receipt_seq: receiptSeq,
  prior_receipt_hash: defined(parseSha256Hex('a'.repeat(64))),
  upload_id: defined(parseUploadId(systemRandom.uuid())),
  drop_id: defined(parseDropId(systemRandom.uuid())),
  blob_role: 'original',
  ciphertext_hash: sha256(bytes(8)),
  size: 8,
  received_at: '2026-01-01T00:00:00.000Z',
})
