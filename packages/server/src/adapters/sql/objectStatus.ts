import type { Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { ObjectState, ObjectStatus } from '../../ports/store.ts'

/** The columns of `objects` and `holds` that decide whether the server may hand out the bytes. */
export const statusColumns = [
  'objects.state as object_state',
  'objects.damaged_at',
  'objects.suspected_at',
  'holds.ciphertext_hash as held_hash',
] as const

export interface StatusRow {
  readonly object_state: ObjectState
  readonly damaged_at: Instant | null
  readonly suspected_at: Instant | null
  /** Null if no hold names the content. */
  readonly held_hash: Sha256Hex | null
}

export function statusOf(row: StatusRow): ObjectStatus {
  return {
    objectState: row.object_state,
    damagedAt: row.damaged_at ?? undefined,
    isSuspected: row.suspected_at !== null,
    isOnHold: row.held_hash !== null,
  }
}
