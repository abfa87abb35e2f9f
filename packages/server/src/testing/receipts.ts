import { createPublicKey, verify } from 'node:crypto'
import { parseDropId, parseUploadId } from '@blindkeep/protocol/ids'
import type { HybridVerifiers } from '@blindkeep/protocol/receipt'
import { systemRandom } from '../adapters/system/random.ts'
import type { ReceiptDraft } from '../domain/custody/receipts.ts'
import { bytes } from './guest.ts'
import { known, sha256 } from './world.ts'

const publicKeyOf = (type: 'ed25519' | 'ml-dsa-65', raw: Uint8Array) =>
  createPublicKey({ key: Buffer.from(raw), format: 'raw-public', asymmetricKeyType: type })

export const verifiers: HybridVerifiers = {
  ed25519: (publicKey, message, signature) => verify(null, message, publicKeyOf('ed25519', publicKey), signature),
  mlDsa65: (publicKey, message, signature) => verify(null, message, publicKeyOf('ml-dsa-65', publicKey), signature),
}

/** A draft for the log: the landing of some drop. It writes no rows unless `commit` does. */
export const draft = (commit: ReceiptDraft['commit'] = async () => undefined): ReceiptDraft => ({
  subject: {
    uploadId: known(parseUploadId(systemRandom.uuid())),
    dropId: known(parseDropId(systemRandom.uuid())),
    blobRole: 'original',
    ciphertextHash: sha256(bytes(8)),
    size: 8,
  },
  commit,
})
