/** Which objects cannot be read although their store is there. */
import type { Instant } from '@blindkeep/protocol/ids'
import { ObjectUnreadable, StorageForbidden } from '../../ground/storageErrors.ts'
import type { Objects } from '../../ports/objects.ts'

/**
 * Whether the error of a read says that a reader cannot get this object, while the store as a whole is there. Not for a
 * command: a file may be forbidden to its user alone. Never rejects.
 */
export async function isOfObject(error: unknown, objects: Pick<Objects, 'check'>): Promise<boolean> {
  if (!seemsOfObject(error)) return false
  return objects.check().then(
    () => true,
    () => false,
  )
}

/** The same, as long as the store as a whole is there. */
export function seemsOfObject(error: unknown): boolean {
  return error instanceof ObjectUnreadable || error instanceof StorageForbidden
}

/** Whether a suspected object could not be read again since. */
export function isUnreadable({
  suspectedAt,
  checkedAt,
}: {
  readonly suspectedAt: Instant | undefined
  readonly checkedAt: Instant
}): boolean {
  return suspectedAt !== undefined && checkedAt > suspectedAt
}
