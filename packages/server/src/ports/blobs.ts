import type { Sha256Hex } from '@blindkeep/protocol/ids'

/**
 * The bytes, each object at a location of its own that is never used twice.
 *
 * Promises that every adapter keeps and `blobs.contract.ts` tests:
 * - A location is a relative path of our own making (`ab/<hash>.<upload_id>`); anything else is refused with a thrown error.
 * - What `write` has acknowledged survives a killed process; only what `settle` has acknowledged survives a power cut.
 * - `StorageUnavailable` is thrown when the disk is full, read-only, broken or away; nothing else changes then, and a later call may succeed.
 * - An object is missing only when the store itself is there. While it is away (a disk that is not mounted) no method says that an object is missing, none
 *   makes a new one, and `remove` does not resolve.
 */
export interface Blobs {
  /**
   * Writes `body` from `offset` on. Bytes beyond it that an earlier, unacknowledged write left are overwritten by later ones.
   * Resolves when all have reached the operating system. Stops at once and rejects when `signal` aborts or `body` throws; nothing writes to
   * `location` any more when it has settled either way. Makes the object when `offset` is 0, throws `BlobMissing` when it is not and there is no such
   * object: what lies before would be lost. `onBytes` sees each piece in order, after it was taken from the body.
   */
  write(location: string, request: WriteRequest): Promise<void>
  /**
   * Makes the object durable at exactly `size` bytes: file, then directory. Cuts off what lies beyond; throws if there is less.
   * Throws `SyncFailed` when a sync failed, now or before, for this object.
   */
  settle(location: string, size: number): Promise<void>
  /** Size in bytes, or undefined when there is no such object. */
  size(location: string): Promise<number | undefined>
  /** Bytes from `start` up to, not including, `end`. Throws `BlobMissing` before the first byte if there is no such object; ends early if it is shorter. */
  read(location: string, range: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>
  /**
   * Reads the whole object again and hashes it, apart from the event loop and from the threads that other reads and writes share. `size` is what it
   * should have, in bytes: a longer one is hashed up to there and its true size told, a shorter one is no error. The bytes are those that the system
   * gives out, which may come from its cache.
   * Throws `BlobMissing` when there is no such object, `DigestsBusy` when too many are waited for, and the signal's reason as soon as that aborts,
   * in the queue too. Rejects with another error when what hashed it died.
   */
  digest(location: string, size: number, signal: AbortSignal): Promise<BlobDigest>
  /** Removes an object durably. No error when there is none. */
  remove(location: string): Promise<void>
  /** Bytes that can still be written. Throws `StorageUnavailable` when the store is away. */
  freeBytes(): Promise<number>
  /** Every location that holds bytes, in no order: for finding strays. */
  list(): AsyncIterable<string>
}

export interface WriteRequest {
  readonly offset: number
  readonly body: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
  readonly onBytes: (bytes: Uint8Array) => void
}

/** An object is whole when both agree with what was recorded: a longer one begins with the right bytes. */
export interface BlobDigest {
  /** Of the bytes that were asked for, or of all when there are fewer. */
  readonly sha256: Sha256Hex
  /** Bytes that are there. */
  readonly size: number
}

export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable'
}

/** A sync failed: what the disk holds of this object is unknown from now on, and no later sync can make it good. */
export class SyncFailed extends StorageUnavailable {}

export class BlobMissing extends Error {
  override readonly name = 'BlobMissing'
}

/** More digests are asked for than the adapter lets wait. Nothing was read; a later call may succeed. */
export class DigestsBusy extends Error {
  override readonly name = 'DigestsBusy'
}
