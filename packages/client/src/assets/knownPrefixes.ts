/**
 * The beginnings of blobs that this client has sealed, or has read to their end and found to have the signed hash. An
 * asset keeps its key when its original is replaced, so a range of the former original would open behind the former
 * beginning. Only a client that remembers the beginning notices.
 */
import { type Bytes, toHex } from '@blindkeep/protocol/bytes'
import { sha256 } from '@noble/hashes/sha2.js'

/** Outlasts the client. Hashes only, of what the server has: nothing in it is secret. */
export interface PrefixStore {
  /** The SHA-256 of the beginning of the blob that has this SHA-256; lowercase hex, both. */
  load(blob: string): Promise<string | undefined>
  save(blob: string, prefix: string): Promise<void>
}

export interface KnownPrefixes {
  /** From now on they are kept there. */
  keepIn(store: PrefixStore): void
  /** `prefix`: the bytes before the data segments. Best effort: without it, a sample is of some version. */
  note(blob: string, prefix: Bytes): Promise<void>
  /** Undefined if no beginning is kept. Rejects when the store does. */
  of(blob: string): Promise<string | undefined>
}

export function createKnownPrefixes(): KnownPrefixes {
  let store: PrefixStore | undefined
  return {
    keepIn(given) {
      store = given
    },
    async note(blob, prefix) {
      await store?.save(blob, prefixHash(prefix)).catch(() => undefined)
    },
    of: async (blob) => await store?.load(blob),
  }
}

export function prefixHash(prefix: Uint8Array): string {
  return toHex(sha256(prefix))
}
