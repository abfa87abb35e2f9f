import { countText } from '@blindkeep/protocol/counts'
import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { AuditedObject } from '../../ports/store.ts'
import { partsOf } from '../ground/location.ts'
import { type Finding, findBroken, instantText } from './finding.ts'
import type { Examination } from './options.ts'

/** More than a clock that was ahead explains. */
const MAX_AHEAD_SECONDS = 86_400

/** An object belongs to exactly one session, drop or asset, or to nothing, according to its state. */
export function checkObject(
  object: AuditedObject,
  { deep, now }: Pick<Examination, 'deep'> & { readonly now: Instant },
): readonly Finding[] {
  const { location, state, sessions, drops, blobs, receipts, parts, damagedAt } = object
  // The time by which the scrubber and the collector take objects.
  const due = state === 'kept' ? object.checkedAt : object.since
  const isWaiting = state === 'kept' || state === 'marked'
  return findBroken({ location }, [
    [!isOurs(object), 'object_wrong', 'its location does not consist of a hash and a session'],
    [
      !isOwnedAsItSays(object),
      'object_wrong',
      `${state}, owned by ${countText(sessions, 'session')}, ${countText(drops, 'drop')} and ${countText(blobs, 'blob')}, with ${countText(receipts, 'receipt')}`,
    ],
    [
      !hasRightParts(object),
      'parts_wrong',
      `${countText(parts.count, 'part holds', 'parts hold')} ${countText(parts.bytes, 'byte')}, with ${countText(parts.gaps, 'gap')}`,
    ],
    [
      isWaiting && due > addSeconds(now, MAX_AHEAD_SECONDS),
      'object_time_wrong',
      `${state === 'kept' ? 'last read' : 'marked'} at ${instantText(due)}`,
    ],
    [
      // A deep examination reads the bytes and reports their present state.
      state === 'kept' && damagedAt !== undefined && !deep,
      'object_damaged',
      `marked as damaged at ${damagedAt === undefined ? 'no time' : instantText(damagedAt)}`,
    ],
  ])
}

/** Whether the server can have made this location. */
export function isOurs({ location }: Pick<AuditedObject, 'location'>): boolean {
  try {
    partsOf(location)
    return true
  } catch {
    return false
  }
}

/** Parts that are kept cover the object exactly. An object in a store without keys has none. */
function hasRightParts({ state, size, receivedBytes = 0, parts }: AuditedObject): boolean {
  if (parts.count === 0 || state === 'deleting') return true
  return parts.gaps === 0 && parts.bytes === (state === 'staged' ? receivedBytes : size)
}

function isOwnedAsItSays({ state, sessions, drops, blobs, receipts }: AuditedObject): boolean {
  const keepers = drops + blobs
  if (state === 'staged') return sessions === 1 && keepers === 0
  if (state === 'kept') return sessions === 0 && keepers === 1
  if (state === 'deleting') return sessions + keepers === 0
  return sessions + keepers === 0 && receipts > 0
}
