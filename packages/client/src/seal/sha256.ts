import { toHex } from '@blindkeep/protocol/bytes'
import { sha256 } from '@noble/hashes/sha2.js'

/** SHA-256 of bytes that arrive in pieces, which WebCrypto cannot do. An environment with a faster one, such as Node, passes its own. */
export interface RunningHash {
  update(bytes: Uint8Array): void
  /** Lowercase hex. Call it once, at the end. */
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
