import { createHash } from 'node:crypto'

/** 32 bytes. What is kept of a proof, a verifier or a token, so that what is stored cannot be used as such. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}
