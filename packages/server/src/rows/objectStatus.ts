import type { Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { ObjectState } from './tables/objects.ts'

/** What decides whether the server may hand out the bytes of an object. */
export interface ObjectStatus {
  readonly objectState: ObjectState
  /** When its bytes were found wrong or missing, unless they have been found right since. */
  readonly damagedAt: Instant | undefined
  /** Whether a reader met wrong, missing or unreadable bytes, and the scrubber has not read them since. */
  readonly isSuspected: boolean
  /** Whether its content is on hold (`holds`). */
  readonly isOnHold: boolean
}

/** The columns of `objects` and `holds` that say it. */
export const statusColumns = [
  'objects.state as objectState',
  'objects.damagedAt',
  'objects.suspectedAt',
  'holds.ciphertextHash as heldHash',
] as const

export interface StatusRow {
  readonly objectState: ObjectState
  readonly damagedAt: Instant | undefined
  readonly suspectedAt: Instant | undefined
  /** Absent if no hold names the content. */
  readonly heldHash: Sha256Hex | undefined
}

export function statusOf({ objectState, damagedAt, suspectedAt, heldHash }: StatusRow): ObjectStatus {
  return { objectState, damagedAt, isSuspected: suspectedAt !== undefined, isOnHold: heldHash !== undefined }
}
