/** Verifiers of `node:crypto` for tests, independent of the library that clients use. */
import { createPublicKey, verify } from 'node:crypto'
import { concatBytes, fromHex } from '@blindkeep/protocol/bytes'
import type { HybridVerifiers } from '@blindkeep/protocol/cose'

/** SubjectPublicKeyInfo before the raw key (RFC 8410, RFC 9881). */
function verifierOf(prefix: Uint8Array) {
  return (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
    const key = createPublicKey({ key: Buffer.from(concatBytes(prefix, publicKey)), format: 'der', type: 'spki' })
    return verify(null, message, key, signature)
  }
}

export const nodeVerifiers: HybridVerifiers = {
  ed25519: verifierOf(fromHex('302a300506032b6570032100')),
  mlDsa65: verifierOf(fromHex('308207b2300b0609608648016503040312038207a100')),
}
