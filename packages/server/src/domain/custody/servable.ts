import type { Objects } from '../../ports/objects.ts'
import type { HeldBlob } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import { isWithheld } from './verdicts.ts'

/** Of several objects with the same content, the first one that is not withheld and has its full size. */
export async function findServable(
  objects: Objects,
  candidates: readonly HeldBlob[],
): Promise<HeldBlob | Refuses<'storage_unavailable'>> {
  for (const object of candidates) {
    // An error at one object must not keep the next one from being served.
    const size = isWithheld(object) ? undefined : await objects.size(object.location).catch(() => undefined)
    if (size === object.size) return object
  }
  return { refused: 'storage_unavailable' }
}
