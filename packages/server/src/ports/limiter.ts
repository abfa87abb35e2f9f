/**
 * Limits how often something may happen in a window of time, or how much: an attempt counts with its weight. All
 * processes of a server count together. Counts are stored under keyed hashes, not in `Store`. A crash may lose the last
 * seconds of counts. `contracts/limiter.ts` tests these promises.
 */
export interface Limiter {
  /**
   * Counts one attempt, with the weight of each limit, against all of `limits`, or against none of them. Resolves
   * with undefined if every limit had room for its weight, otherwise with the whole seconds (at least 1) until all
   * exceeded windows have ended. Throws `RangeError` for an invalid weight, and counts nothing then. Call it before
   * the work is judged, so that simultaneous attempts cannot exceed a limit; then call `giveBack` for an attempt that
   * should not count.
   */
  take(limits: readonly Limit[]): Promise<number | undefined>
  /**
   * Takes back what `take` counted for the same limits. Call it soon after `take`: if a new window has begun, the
   * refund goes to the new one. A count never falls below zero.
   */
  giveBack(limits: readonly Limit[]): Promise<void>
  close(): Promise<void>
}

export interface Limit {
  /** Names the rule, for instance `passphrase-of-link`. */
  readonly rule: string
  /** Who or what is counted. Stored only as a keyed hash. */
  readonly key: string
  /** How much fits into a window. A limit in bytes may exceed 32 bits. */
  readonly max: number
  readonly windowSeconds: number
  /**
   * How much one attempt counts: a whole number, at least 1; 1 if absent. More than `max` counts as `max`: an attempt
   * that fits no window gets one of its own.
   */
  readonly weight?: number
}
