import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { HybridVerifiers } from '@blindkeep/protocol/cose'

/** A server has few keys. This bounds what a damaged table can add. */
const MAX_KEYS = 64

/** With a callback Node verifies in its thread pool, so a page of receipts uses every core. */
export function createVerifiers(): HybridVerifiers {
  const keys = new Map<string, KeyObject>()

  function keyOf(asymmetricKeyType: 'ed25519' | 'ml-dsa-65', publicKey: Uint8Array): KeyObject {
    const key = Buffer.from(publicKey)
    const name = key.toString('base64')
    const known = keys.get(name)
    if (known !== undefined) return known
    const opened = createPublicKey({ key, format: 'raw-public', asymmetricKeyType })
    if (keys.size < MAX_KEYS) keys.set(name, opened)
    return opened
  }

  function isValid(
    type: 'ed25519' | 'ml-dsa-65',
    { publicKey, message, signature }: { publicKey: Uint8Array; message: Uint8Array; signature: Uint8Array },
  ): Promise<boolean> {
    return new Promise((resolve) => {
      try {
        verify(null, message, keyOf(type, publicKey), signature, (error, isRight) => resolve(error === null && isRight))
      } catch {
        // The bytes are no key.
        resolve(false)
      }
    })
  }

  return {
    ed25519: (publicKey, message, signature) => isValid('ed25519', { publicKey, message, signature }),
    mlDsa65: (publicKey, message, signature) => isValid('ml-dsa-65', { publicKey, message, signature }),
  }
}
