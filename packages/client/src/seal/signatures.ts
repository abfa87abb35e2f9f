import type { HybridVerifiers } from '@blindkeep/protocol/cose'
import { primitives } from '#primitives'

/**
 * Ed25519 follows RFC 8032 strictly: no key of small order, one encoding of every point and scalar, not the looser ZIP
 * 215. So a signature that this client accepts is accepted everywhere. ML-DSA-65 is FIPS 204 with an empty context.
 */
export const verifiers: HybridVerifiers = {
  ed25519(publicKey, message, signature) {
    return verified(() => primitives.ed25519.verify(signature, message, publicKey))
  },
  mlDsa65(publicKey, message, signature) {
    return verified(() => primitives.mlDsa65.verify(signature, message, publicKey))
  },
}

/** The libraries throw for invalid lengths and points; here such a signature is just invalid. */
async function verified(verify: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await verify()
  } catch {
    return false
  }
}
