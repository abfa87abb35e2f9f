/**
 * Counts in windows, kept as keyed hashes in a store of their own, written down every few seconds and read again at a start.
 * On by default; a lost second of counts is accepted, a lost receipt is not, which is why it is not the `Store`.
 */
export interface Limiter {
  /**
   * Takes places in each of `limits`, or in none of them. Undefined when all had enough; else the whole seconds, at least 1, until the last of
   * them begins anew. Throws `RangeError` for a weight that is none, and takes nothing then.
   * Places are taken before the work is judged, so that any number at once cannot slip past; what need not count is given back.
   */
  take(limits: readonly Limit[]): Promise<number | undefined>
  /** Gives back what `take` took for the same limits. Soon, as a window that has begun since is given it all the same; never more than is taken in it. */
  giveBack(limits: readonly Limit[]): Promise<void>
  close(): Promise<void>
}

export interface Limit {
  /** Names the rule, for instance `passphrase-of-link`. */
  readonly rule: string
  /** Who or what is counted. Never stored in the clear. */
  readonly key: string
  /** Places in a window. What is counted in bytes reaches far beyond 32 bits. */
  readonly most: number
  readonly windowSeconds: number
  /**
   * Places that one take uses, a whole number from 1 on; 1 when left out. More than `most` counts as `most`: what is too heavy for any window has one
   * to itself.
   */
  readonly weight?: number
}
