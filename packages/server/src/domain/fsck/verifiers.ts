import type { HybridVerifiers } from '@blindkeep/protocol/cose'
import { type SignatureType, type VerifyingKey, verifyAside, verifyingKey } from '../../ground/signatures.ts'

/** A server has few keys. This bounds what a damaged table can add. */
const MAX_KEYS = 64

/** With a callback Node verifies in its thread pool, so a page of receipts uses every core. */
export function createVerifiers(): HybridVerifiers {
  const keys = new Map<string, VerifyingKey>()

  function keyOf(type: SignatureType, publicKey: Uint8Array): VerifyingKey {
    const name = Buffer.from(publicKey).toString('base64')
    const known = keys.get(name)
    if (known !== undefined) return known
    const opened = verifyingKey(type, publicKey)
    if (keys.size < MAX_KEYS) keys.set(name, opened)
    return opened
  }

  async function isValid(
    type: SignatureType,
    { publicKey, message, signature }: { publicKey: Uint8Array; message: Uint8Array; signature: Uint8Array },
  ): Promise<boolean> {
    try {
      return await verifyAside(keyOf(type, publicKey), message, signature)
    } catch {
      // The bytes are no key.
      return false
    }
  }

  return {
    ed25519: (publicKey, message, signature) => isValid('ed25519', { publicKey, message, signature }),
    mlDsa65: (publicKey, message, signature) => isValid('ml-dsa-65', { publicKey, message, signature }),
  }
}
