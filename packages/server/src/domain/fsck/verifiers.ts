import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { HybridVerifiers } from '@blindkeep/protocol/cose'

/** A server has had few keys; this bounds what a damaged table could add. */
const MAX_KEYS = 64

/** With a callback Node verifies in its thread pool, so that a page of receipts keeps every core busy. */
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

  function holds(
    type: 'ed25519' | 'ml-dsa-65',
    { publicKey, message, signature }: { publicKey: Uint8Array; message: Uint8Array; signature: Uint8Array },
  ): Promise<boolean> {
    return new Promise((resolve) => {
      try {
        verify(null, message, keyOf(type, publicKey), signature, (error, isRight) => resolve(error === null && isRight))
      } catch {
        // Bytes that are no key have signed nothing.
        resolve(false)
      }
    })
  }

  return {
    ed25519: (publicKey, message, signature) => holds('ed25519', { publicKey, message, signature }),
    mlDsa65: (publicKey, message, signature) => holds('ml-dsa-65', { publicKey, message, signature }),
  }
}
