import { createHash } from 'node:crypto'

/** 32 bytes. Of a proof, verifier or token: the stored value cannot be used as one. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}
