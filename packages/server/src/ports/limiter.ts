/**
 * Counts in windows, kept as keyed hashes in a store of their own, written down every few seconds and read again at a start.
 * On by default; a lost second of counts is accepted, a lost receipt is not, which is why it is not the `Store`.
 */
export interface Limiter {
  /**
   * Takes one place in each of `limits`, or none of them. Undefined when all had one; else the whole seconds, at least 1, until the fullest has again.
   * Places are taken before the work is judged, so that any number at once cannot slip past; what need not count is given back.
   */
  take(limits: readonly Limit[]): Promise<number | undefined>
  giveBack(limits: readonly Limit[]): Promise<void>
  close(): Promise<void>
}

export interface Limit {
  /** Names the rule, for instance `passphrase-of-link`. */
  readonly rule: string
  /** Who or what is counted. Never stored in the clear. */
  readonly key: string
  readonly most: number
  readonly windowSeconds: number
}
