import { timingSafeEqual } from 'node:crypto'
import { sha256 } from '../ground/sha256.ts'

/**
 * Whether `hash` is the SHA-256 of a proof that a client derived from 256 random bits. Compares also without a hash, so
 * the time does not tell whether there is one.
 */
export function isProofOf(hash: Uint8Array | undefined, proof: Uint8Array): boolean {
  return timingSafeEqual(sha256(proof), hash ?? new Uint8Array(32)) && hash !== undefined
}
