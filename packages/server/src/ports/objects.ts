import type { Sha256Hex } from '@blindkeep/protocol/ids'

/**
 * The bytes of objects, each at a location of its own. A location is never used twice. `Staging` writes them. A store
 * may hold an object in several parts (`parts.ts`); a reader of an object does not learn of that.
 *
 * Promises that every adapter keeps and `contracts/objects.ts` tests:
 * - A location is a relative path that the server makes (`ab/<hash>.<upload_id>`). Every method throws for any
 *   other text.
 * - A store that is read-only, broken or away throws `StorageUnavailable`. Nothing else changes then, and a later call
 *   may succeed.
 * - An object that is there and cannot be opened or read throws `ObjectUnreadable`, or `StorageForbidden` if the system
 *   denies it. A store that does not answer throws another `StorageUnavailable`, as far as the adapter can tell: only
 *   `check` says whether the store as a whole is there. A store with keys throws `ObjectUnreadable` for an object that
 *   it has archived, and otherwise neither of the two: what it answers of one object may be its own trouble.
 * - An object is missing only if the store itself is present. While the store is away (its disk is not mounted, its
 *   bucket cannot be read), no method reports an object as missing, and `remove` does not resolve.
 */
export interface Objects extends Presence {
  /** Size in bytes, or undefined if there is no such object. */
  size(location: string): Promise<number | undefined>
  /** The bytes from `start` to before `end`; fewer of a shorter object. Throws `BlobMissing` before the first byte. */
  read(location: string, range: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>
  /**
   * Reads the object again and hashes its first `size` bytes, or all of a shorter object. Does not block the event
   * loop, nor the threads of other reads and writes. The bytes may come from the system's cache. Throws `BlobMissing`,
   * `DigestsBusy` if too many digests wait, and the signal's reason as soon as the signal aborts, also while waiting.
   * Rejects with another error if the thread that hashes dies.
   */
  digest(location: string, size: number, signal: AbortSignal): Promise<BlobDigest>
  /** Removes an object durably. No error if there is none. */
  remove(location: string): Promise<void>
  /** Every location that has bytes, in no order. */
  list(): AsyncIterable<string>
}

export interface Presence {
  /** Bytes that can be written; infinite without a limit. Throws `StorageUnavailable` if the store is away. */
  check(): Promise<number>
  /** Throws `StorageUnavailable` for a place without room. Absent where only a write tells. */
  checkPlaces?(): Promise<void>
}

export interface ReadOptions {
  /** A piece keeps its bytes only until the next one is asked for: its memory may be used again. */
  readonly reuses?: boolean
  /** Throws `BlobMissing` before the first byte if the object has another size. */
  readonly size?: number
}

const locationForm = /^[0-9a-f]{2}\/[0-9a-f]{64}\.[0-9a-f-]{36}$/

/** Throws `RangeError` for a text that is no location of the server. */
export function checkLocation(location: string): void {
  if (!locationForm.test(location)) throw new RangeError('not a location of this store')
}

/** Throws `RangeError`. */
export function checkByteCount(value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('not a number of bytes')
}

export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Intact needs equal hash and size: a longer object may begin with the right bytes. */
export interface BlobDigest {
  readonly sha256: Sha256Hex
  /** How many bytes the object has, also beyond the hashed ones. */
  readonly size: number
}
