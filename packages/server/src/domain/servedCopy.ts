import type { Blobs } from '../ports/blobs.ts'
import type { HeldBlob } from '../ports/store.ts'
import type { Refuses } from './refusals.ts'
import { isWithheld } from './verdicts.ts'

/** The first of some copies of one content that is there whole and that nothing keeps from being handed out: the one that is served. */
export async function servedCopy(
  blobs: Blobs,
  copies: readonly HeldBlob[],
): Promise<HeldBlob | Refuses<'storage_unavailable'>> {
  for (const copy of copies) {
    // One copy that cannot be looked at is no reason not to give another.
    const size = isWithheld(copy) ? undefined : await blobs.size(copy.location).catch(() => undefined)
    if (size === copy.size) return copy
  }
  return { refused: 'storage_unavailable' }
}
