import type { Instant } from '@blindkeep/protocol/ids'

/** Pauses of the collector: one for each running backup. Each ends by itself, or by its backup. */
export interface PauseReads {
  /** The end of the pause that ends last; it may have passed. Undefined if there is none. */
  lastEnd(): Promise<Instant | undefined>
}

export interface PauseWrites {
  /** Begins or renews one pause. Removes the pauses that had ended at `at`. */
  set(pauseId: string, times: { readonly at: Instant; readonly until: Instant }): Promise<void>
  end(pauseId: string): Promise<void>
}
