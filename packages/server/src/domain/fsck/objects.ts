import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { AuditedObject } from '../../ports/store.ts'
import { partsOf } from '../uploads/location.ts'
import { broken, type Finding, instantText } from './finding.ts'
import type { Examination } from './options.ts'

/** A clock that was ahead is off by less. */
const MAX_AHEAD_SECONDS = 86_400

/** An object belongs to exactly one session, drop or asset, or to nothing: as its state says. */
export function judgeObject(
  object: AuditedObject,
  { deep, now }: Pick<Examination, 'deep'> & { readonly now: Instant },
): readonly Finding[] {
  const { location, state, sessions, drops, blobs, receipts, damagedAt } = object
  // What the scrubber and the collector go by.
  const due = state === 'kept' ? object.checkedAt : object.since
  const isWaiting = state === 'kept' || state === 'marked'
  return broken({ location }, [
    [!isOurs(object), 'object_wrong', 'its location is not made of a hash and a session'],
    [
      !isOwnedAsItSays(object),
      'object_wrong',
      `${state}, owned by ${sessions} sessions, ${drops} drops and ${blobs} blobs, with ${receipts} receipts`,
    ],
    [
      isWaiting && due > addSeconds(now, MAX_AHEAD_SECONDS),
      'object_time_wrong',
      `${state === 'kept' ? 'last read' : 'marked'} at ${instantText(due)}`,
    ],
    [
      // Who reads the bytes again says how they are now.
      state === 'kept' && damagedAt !== undefined && !deep,
      'object_damaged',
      `found damaged at ${damagedAt === undefined ? 'no time' : instantText(damagedAt)}`,
    ],
  ])
}

/** Whether a file can lie there at all. */
export function isOurs({ location }: Pick<AuditedObject, 'location'>): boolean {
  try {
    partsOf(location)
    return true
  } catch {
    return false
  }
}

function isOwnedAsItSays({ state, sessions, drops, blobs, receipts }: AuditedObject): boolean {
  const keepers = drops + blobs
  if (state === 'staged') return sessions === 1 && keepers === 0
  if (state === 'kept') return sessions === 0 && keepers === 1
  if (state === 'deleting') return sessions + keepers === 0
  return sessions + keepers === 0 && receipts > 0
}
