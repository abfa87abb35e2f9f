import type { Blobs } from '../../ports/blobs.ts'
import type { HeldBlob } from '../../ports/store.ts'
import { isWithheld } from '../custody/verdicts.ts'
import type { Refuses } from '../refusals.ts'

/** The first of some objects of one content that is there whole and that nothing keeps from being handed out: the one that is served. */
export async function servedObject(
  blobs: Blobs,
  objects: readonly HeldBlob[],
): Promise<HeldBlob | Refuses<'storage_unavailable'>> {
  for (const object of objects) {
    // One object that cannot be looked at is no reason not to give another.
    const size = isWithheld(object) ? undefined : await blobs.size(object.location).catch(() => undefined)
    if (size === object.size) return object
  }
  return { refused: 'storage_unavailable' }
}
