import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { BlobMissing } from '../../ground/storageErrors.ts'
import type { ByteRange, Objects } from '../../ports/objects.ts'
import type { HeldBlob, ReadTx } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import { isOfObject } from './unreadable.ts'
import { isInDoubt, isWithheld } from './verdicts.ts'

interface ServingPorts {
  readonly objects: Pick<Objects, 'size' | 'read' | 'check'>
  /** Called for an object with missing or unreadable bytes, which is then withheld until it is read. Never rejects. */
  readonly reportDamage: (location: string) => Promise<void>
}

export interface ServedObject {
  readonly location: string
  readonly size: number
}

/** Whether the bytes are in doubt, as far as the rows say. A hold is no doubt. */
export async function isDoubted(
  tx: ReadTx,
  { location, ciphertextHash }: { readonly location: string; readonly ciphertextHash: Sha256Hex },
): Promise<boolean> {
  const status = await tx.objects.statusOf(location, ciphertextHash)
  return status === undefined || isInDoubt(status)
}

export type Serving = ReturnType<typeof createServing>

/** Looks at objects and reads them for a request. What it cannot give is passed on: the scrubber reads it soon. */
export function createServing({ objects, reportDamage }: ServingPorts) {
  /** Throws the error of a look or a reading, once it is noted. */
  async function failed(location: string, error: unknown): Promise<never> {
    if (error instanceof BlobMissing || (await isOfObject(error, objects))) await reportDamage(location)
    throw error
  }

  /** Throws `StorageUnavailable`. */
  async function isWhole({ location, size }: ServedObject): Promise<boolean> {
    const present = await objects.size(location).catch((error: unknown) => failed(location, error))
    const isRight = present === size
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
        await failed(location, error)
      }
    },
  }
}
