import type { Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { CopyStanding, CopyState } from '../../ports/store.ts'

/** What `copies`, and `holds` beside it, say of whether bytes may be handed out: the columns of every query that asks. */
export const standing = [
  'copies.state as copy_state',
  'copies.damaged_at',
  'holds.ciphertext_hash as held_hash',
] as const

export interface StandingRow {
  readonly copy_state: CopyState
  readonly damaged_at: Instant | null
  /** Null when no hold names the content. */
  readonly held_hash: Sha256Hex | null
}

export function standingOf(row: StandingRow): CopyStanding {
  return { copyState: row.copy_state, damagedAt: row.damaged_at ?? undefined, isOnHold: row.held_hash !== null }
}
