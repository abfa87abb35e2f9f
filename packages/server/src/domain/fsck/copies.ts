import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { AuditedCopy } from '../../ports/store.ts'
import { partsOf } from '../location.ts'
import { broken, type Finding, instantText } from './finding.ts'
import type { Examination } from './options.ts'

/** A clock that was ahead is off by less. */
const AHEAD_SECONDS_MOST = 86_400

/** A copy belongs to exactly one session, drop or asset, or to nothing: as its state says. */
export function judgeCopy(
  copy: AuditedCopy,
  { deep, now }: Pick<Examination, 'deep'> & { readonly now: Instant },
): readonly Finding[] {
  const { location, state, sessions, drops, blobs, receipts, damagedAt } = copy
  // What the scrubber and the collector go by.
  const due = state === 'kept' ? copy.checkedAt : copy.since
  const isWaiting = state === 'kept' || state === 'marked'
  return broken({ location }, [
    [!isOurs(copy), 'copy_wrong', 'its location is not made of a hash and a session'],
    [
      !isOwnedAsItSays(copy),
      'copy_wrong',
      `${state}, owned by ${sessions} sessions, ${drops} drops and ${blobs} blobs, with ${receipts} receipts`,
    ],
    [
      isWaiting && due > addSeconds(now, AHEAD_SECONDS_MOST),
      'copy_time_wrong',
      `${state === 'kept' ? 'last read' : 'marked'} at ${instantText(due)}`,
    ],
    [
      // Who reads the bytes again says how they are now.
      state === 'kept' && damagedAt !== undefined && !deep,
      'copy_damaged',
      `found damaged at ${damagedAt === undefined ? 'no time' : instantText(damagedAt)}`,
    ],
  ])
}

/** Whether a file can lie there at all. */
export function isOurs({ location }: Pick<AuditedCopy, 'location'>): boolean {
  try {
    partsOf(location)
    return true
  } catch {
    return false
  }
}

function isOwnedAsItSays({ state, sessions, drops, blobs, receipts }: AuditedCopy): boolean {
  const keepers = drops + blobs
  if (state === 'staged') return sessions === 1 && keepers === 0
  if (state === 'kept') return sessions === 0 && keepers === 1
  if (state === 'doomed') return sessions + keepers === 0
  return sessions + keepers === 0 && receipts > 0
}
