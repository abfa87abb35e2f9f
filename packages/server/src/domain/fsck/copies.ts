import { formatInstant } from '@blindkeep/protocol/ids'
import type { AuditedCopy } from '../../ports/store.ts'
import { partsOf } from '../location.ts'
import { broken, type Finding } from './finding.ts'
import type { Examination } from './options.ts'

/** A copy belongs to exactly one session, drop or asset, or to nothing: as its state says. */
export function judgeCopy(copy: AuditedCopy, { deep }: Pick<Examination, 'deep'>): readonly Finding[] {
  const { location, state, sessions, drops, blobs, receipts, damagedAt } = copy
  const keepers = drops + blobs
  // Nobody has a receipt for it and nobody can go on with it: what it holds was never promised to anyone.
  const isLeftover = state === 'staged' && sessions + keepers + receipts === 0
  return broken({ location }, [
    [!isOurs(location), 'copy_wrong', 'its location is not made of a hash and a session'],
    [
      !isOwnedAsItSays(copy),
      'copy_wrong',
      `${state}, owned by ${sessions} sessions, ${drops} drops and ${blobs} blobs, with ${receipts} receipts`,
      isLeftover ? { repair: 'hand_over', location } : undefined,
    ],
    [
      // Who reads the bytes again says how they are now.
      state === 'kept' && damagedAt !== undefined && !deep,
      'copy_damaged',
      `found damaged at ${damagedAt === undefined ? 'no time' : formatInstant(damagedAt)}`,
    ],
  ])
}

function isOurs(location: string): boolean {
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
