import type { Presence } from './objects.ts'

/**
 * Takes the bytes of uploads, chunk by chunk.
 *
 * There are two kinds of stores. In one without keys (files) a chunk is a range of the session's one file. In one with
 * keys (an object store) each chunk is a part at a key of its own that is written once: a late writer, in whatever
 * process, can only leave a part that does not count. The caller records the key before the first byte can be stored,
 * and afterwards that it counts.
 *
 * Promises that every adapter keeps and `contracts/staging.ts` tests:
 * - Bytes that `write` acknowledged survive a killed process. Without keys only what `settle` acknowledged survives a
 *   power cut (`mayFallBack`).
 * - A store that is full, read-only, broken or away throws `StorageUnavailable`. Nothing else changes then, and a later
 *   call may succeed.
 * - While the store is away, no method creates anything.
 */
export interface Staging extends Presence {
  /** Whether acknowledged bytes that are not settled may be lost, so that a session falls back to an earlier chunk. */
  readonly mayFallBack: boolean
  /** A new key below `location`: `<location>/<16 hexadecimal digits>`. Undefined in a store without keys. */
  newKey(location: string): string | undefined
  /**
   * Writes `body` from `offset` on. Resolves when the store has all bytes. Rejects at once when `signal` aborts or
   * `body` throws, or with what `onBytes` throws. Calls `onBytes` with each piece of the body, in order, before it asks
   * for the next one.
   *
   * Without a key: an earlier write that was not acknowledged may have left bytes after `offset`; later writes replace
   * them. Once settled, it writes nothing more to `location`. Creates the object if `offset` is 0. Throws `BlobMissing`
   * if `offset` is greater and there is no such object, because the bytes before `offset` are lost then.
   *
   * With a key: stores nothing before `body` has ended, so a body that throws at its end leaves nothing. After
   * `StorageUnavailable` or an abort the bytes may be at the key, now or later. The offset plays no role.
   */
  write(place: StagingPlace, request: WriteRequest): Promise<void>
  /**
   * Makes all that was written durable with exactly `size` bytes. Without keys it truncates a longer object and throws
   * for a shorter one; it throws `SyncFailed` if any sync of this object failed, now or earlier. With keys every
   * acknowledged part is durable already.
   */
  settle(location: string, size: number): Promise<void>
}

export interface StagingPlace {
  readonly location: string
  /** From `newKey`, used once. */
  readonly key: string | undefined
  readonly offset: number
}

export interface WriteRequest {
  readonly body: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
  readonly onBytes: (bytes: Uint8Array) => void
}
