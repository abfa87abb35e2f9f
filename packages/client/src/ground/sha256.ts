import { toHex } from '@blindkeep/protocol/bytes'
import { sha256 } from '@noble/hashes/sha2.js'

/** SHA-256 of bytes in pieces, which WebCrypto cannot do. An environment with a faster one (Node) passes its own. */
export interface RunningHash {
  update(bytes: Uint8Array): void
  /** Lowercase hex. Call it once, at the end. */
  digest(): string
}

/** The hash of a file, which may be computed elsewhere, in a worker. Call one after the other. */
export interface FileHash {
  /** `bytes` may be changed when it has resolved. */
  update(bytes: Uint8Array): Promise<void>
  /** Lowercase hex. Call it once, at the end. */
  digest(): Promise<string>
  /** Frees what the hash uses, also in the middle of a file. */
  end(): void
}

export function fileHashOf(hash: RunningHash): FileHash {
  return { update: async (bytes) => hash.update(bytes), digest: async () => hash.digest(), end: () => undefined }
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
