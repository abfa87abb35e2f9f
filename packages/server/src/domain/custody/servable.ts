import { BlobMissing } from '../../ground/storageErrors.ts'
import type { ByteRange, Objects } from '../../ports/objects.ts'
import type { HeldBlob } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import { isOfObject } from './unreadable.ts'
import { isWithheld } from './verdicts.ts'

interface ServingPorts {
  readonly objects: Pick<Objects, 'size' | 'read' | 'check'>
  /** Called for an object with missing or unreadable bytes, which is then withheld until it is read. Never rejects. */
  readonly reportDamage: (location: string) => Promise<void>
}

export interface ServedObject {
  readonly location: string
  readonly size: number
}

export type Serving = ReturnType<typeof createServing>

/** Looks at objects and reads them for a request. What it cannot give is passed on: the scrubber reads it soon. */
export function createServing({ objects, reportDamage }: ServingPorts) {
  /** Throws `StorageUnavailable`. */
  async function isWhole({ location, size }: ServedObject): Promise<boolean> {
    const isRight = (await objects.size(location)) === size
    if (!isRight) await reportDamage(location)
    return isRight
  }

  return {
    isWhole,

    /** Of several objects with the same content, the first one that is not withheld and has its full size. */
    async firstWhole(candidates: readonly HeldBlob[]): Promise<HeldBlob | Refuses<'storage_unavailable'>> {
      for (const object of candidates) {
        // An error at one object must not keep the next one from being served.
        if (!isWithheld(object) && (await isWhole(object).catch(() => false))) return object
      }
      return { refused: 'storage_unavailable' }
    },

    /** A piece keeps its bytes only until the next one is asked for. Throws as `Objects.read` with a size does. */
    async *read({ location, size }: ServedObject, range: ByteRange): AsyncGenerator<Uint8Array> {
      try {
        yield* objects.read(location, range, { reuses: true, size })
      } catch (error) {
        if (error instanceof BlobMissing || (await isOfObject(error, objects))) await reportDamage(location)
        throw error
      }
    },
  }
}
