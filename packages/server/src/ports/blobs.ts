import type { Sha256Hex } from '@blindkeep/protocol/ids'

/**
 * Stores the bytes of objects, each at a location of its own. A location is never used twice.
 *
 * Promises that every adapter keeps and `blobs.contract.ts` tests:
 * - A location is a relative path that the server makes (`ab/<hash>.<upload_id>`). Every method throws for any other text.
 * - Bytes that `write` acknowledged survive a killed process. Only what `settle` acknowledged survives a power cut.
 * - A disk that is full, read-only, broken or away throws `StorageUnavailable`. Nothing else changes then, and a later call may succeed.
 * - An object is missing only if the store itself is present. While the store is away (its disk is not mounted), no method reports an object as missing,
 *   no method creates an object, and `remove` does not resolve.
 */
export interface Blobs {
  /**
   * Writes `body` from `offset` on. An earlier write that was not acknowledged may have left bytes after that; later writes replace them.
   * Resolves when the operating system has all bytes. Rejects at once when `signal` aborts or `body` throws. Once settled, it writes nothing more to
   * `location`. Creates the object if `offset` is 0. Throws `BlobMissing` if `offset` is greater and there is no such object, because the bytes before
   * `offset` are lost then. Calls `onBytes` with each piece of the body, in order.
   */
  write(location: string, request: WriteRequest): Promise<void>
  /**
   * Makes the object durable with exactly `size` bytes: first the file, then its directory. Truncates a longer object and throws for a shorter one.
   * Throws `SyncFailed` if any sync of this object failed, now or earlier.
   */
  settle(location: string, size: number): Promise<void>
  /** Size in bytes, or undefined if there is no such object. */
  size(location: string): Promise<number | undefined>
  /** Gives the bytes from `start` up to, not including, `end`; fewer if the object is shorter. Throws `BlobMissing` before the first byte. */
  read(location: string, range: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>
  /**
   * Reads the object again and hashes its first `size` bytes, or all of a shorter object. Does not use the event loop, nor the threads of other reads
   * and writes. The bytes may come from the system's cache.
   * Throws `BlobMissing`, `DigestsBusy` if too many digests wait, and the signal's reason as soon as the signal aborts, also while waiting. Rejects with
   * another error if the thread that hashes dies.
   */
  digest(location: string, size: number, signal: AbortSignal): Promise<BlobDigest>
  /** Removes an object durably. No error if there is none. */
  remove(location: string): Promise<void>
  /** How many bytes can still be written. Throws `StorageUnavailable` if the store is away. */
  freeBytes(): Promise<number>
  /** Every location that has bytes, in no order. */
  list(): AsyncIterable<string>
}

export interface WriteRequest {
  readonly offset: number
  readonly body: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
  readonly onBytes: (bytes: Uint8Array) => void
}

/** An object is intact only if hash and size both equal the recorded ones: a longer object may begin with the right bytes. */
export interface BlobDigest {
  readonly sha256: Sha256Hex
  /** How many bytes the object has, also beyond the hashed ones. */
  readonly size: number
}

export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable'
}

/** A sync failed. What the disk holds of this object is unknown from now on, and no later sync can repair that. */
export class SyncFailed extends StorageUnavailable {}

export class BlobMissing extends Error {
  override readonly name = 'BlobMissing'
}

/** Too many digests wait. Nothing was read; a later call may succeed. */
export class DigestsBusy extends Error {
  override readonly name = 'DigestsBusy'
}
