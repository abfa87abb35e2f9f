import type { HybridVerifiers } from '@blindkeep/protocol/cose'
import { ed25519 } from '@noble/curves/ed25519.js'
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'

/**
 * Verifiers that run in any browser. Ed25519 is read as strictly as RFC 8032 has it: no key of small order, one encoding of every point and scalar,
 * and not the looser ZIP 215, so that a signature that counts here counts everywhere. ML-DSA-65 is FIPS 204 with an empty context.
 */
export const verifiers: HybridVerifiers = {
  ed25519(publicKey, message, signature) {
    return verified(() => ed25519.verify(signature, message, publicKey, { zip215: false }))
  },
  mlDsa65(publicKey, message, signature) {
    return verified(() => ml_dsa65.verify(signature, message, publicKey))
  },
}

/** The libraries throw for lengths and points that can't be; to whoever verifies that is just a signature that does not hold. */
function verified(verify: () => boolean): boolean {
  try {
    return verify()
  } catch {
    return false
  }
}
