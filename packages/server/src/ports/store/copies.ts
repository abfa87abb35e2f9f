import type { Instant } from '@blindkeep/protocol/ids'

/** Bytes in the blob store, known here before the first of them is written. */

/**
 * staged: a session writes it · kept: a receipt vouches for it and something owns it ·
 * unowned: a receipt vouched for it, nothing owns it any more · marked: so seen by the collector, from then on it waits out the grace window ·
 * doomed: to be removed at once, as it was never vouched for or has waited long enough.
 */
export type CopyState = 'staged' | 'kept' | 'unowned' | 'marked' | 'doomed'

export interface Copy {
  readonly location: string
  readonly size: number
  readonly state: CopyState
  /** When it took this state. */
  readonly since: Instant
}

export interface CopyReads {
  find(location: string): Promise<Copy | undefined>
  /** Those in `state` since before `before`, oldest first, `most` at the most. */
  listIn(state: CopyState, before: Instant, most: number): Promise<readonly Copy[]>
}

export interface CopyWrites {
  insert(copy: Copy): Promise<void>
  /** False, and nothing changed, when it is not in `from`. */
  move(
    location: string,
    step: { readonly from: CopyState; readonly to: CopyState; readonly at: Instant },
  ): Promise<boolean>
  /** Forgets a copy whose bytes have been removed. */
  remove(location: string): Promise<void>
}
