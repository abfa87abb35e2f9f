import type { HybridVerifiers } from '@blindkeep/protocol/cose'
import { ed25519 } from '@noble/curves/ed25519.js'
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'

/**
 * Verifiers for any browser. Ed25519 follows RFC 8032 strictly: no key of small order, one encoding of every point and
 * scalar, not the looser ZIP
 * 215. So a signature that this client accepts is accepted everywhere. ML-DSA-65 is FIPS 204 with an empty context.
 */
export const verifiers: HybridVerifiers = {
  ed25519(publicKey, message, signature) {
    return verified(() => ed25519.verify(signature, message, publicKey, { zip215: false }))
  },
  mlDsa65(publicKey, message, signature) {
    return verified(() => ml_dsa65.verify(signature, message, publicKey))
  },
}

/** The libraries throw for invalid lengths and points; here such a signature is just invalid. */
function verified(verify: () => boolean): boolean {
  try {
    return verify()
  } catch {
    return false
  }
}
