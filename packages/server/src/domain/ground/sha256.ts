import { createHash } from 'node:crypto'

/** 32 bytes. The server stores this hash of a proof, a verifier or a token, so the stored value cannot be used as one. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}
