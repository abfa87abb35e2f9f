import type { BlobDigest } from './objects.ts'

/**
 * Puts other bytes in the place of a damaged object, in a store without keys. In a store with keys new parts take the
 * place of the old ones (`keyedBytes.ts`).
 *
 * Promises that every adapter keeps:
 * - Until the one step in which the new bytes take the place, the object is what it was: also after an error, a kill,
 *   or on a full disk. Before that step the new bytes are durable and were read back.
 * - While the store is away, no method creates anything. `StorageUnavailable` means that nothing else changed.
 */
export interface Replacing {
  /** Removes what killed calls of `replace` have left. No other process may be replacing. */
  clear(): Promise<void>
  /**
   * Puts `body` at `location`, whether there is an object or not; durably. The processes that serve the other objects
   * of the store may read it. False, and nothing changed, if what was read back is not `expected`. Rethrows what `body`
   * throws.
   */
  replace(location: string, body: AsyncIterable<Uint8Array>, expected: BlobDigest): Promise<boolean>
}
