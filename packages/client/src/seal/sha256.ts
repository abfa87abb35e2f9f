import { toHex } from '@blindkeep/protocol/bytes'
import { sha256 } from '@noble/hashes/sha2.js'

/** SHA-256 of bytes that come in pieces, which WebCrypto can't do. A program that has a faster one (Node does) passes its own. */
export interface RunningHash {
  update(bytes: Uint8Array): void
  /** Lowercase hex. Called once, at the end. */
  digest(): string
}

export function createRunningHash(): RunningHash {
  const hash = sha256.create()
  return {
    update(bytes) {
      hash.update(bytes)
    },
    digest: () => toHex(hash.digest()),
  }
}
