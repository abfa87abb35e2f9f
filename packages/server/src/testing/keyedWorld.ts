/** A world whose bytes are in a store with keys: the S3 adapter over the double. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UploadId } from '@blindkeep/protocol/ids'
import { openS3 } from '../adapters/s3/store.ts'
import type { Bytes } from '../contracts/bytes/world.ts'
import { createPartIndex } from '../domain/custody/partIndex.ts'
import type { KeyedBytes } from '../ports/keyedBytes.ts'
import type { PartIndex } from '../ports/parts.ts'
import { openDouble } from './s3/world.ts'
import { defined, inWorld, type World, type WorldOptions } from './world.ts'

export interface Bucket {
  /** The adapter itself, below what `around` puts around it. */
  readonly real: Bytes & { readonly keyedBytes: KeyedBytes }
  /** Every key below the location of an upload, sorted. */
  keysOf(uploadId: UploadId): Promise<readonly string[]>
}

export function inKeyedWorld(
  work: (world: World, bucket: Bucket) => Promise<void>,
  { around, ...options }: WorldOptions = {},
): () => Promise<void> {
  return async () => {
    const place = await openDouble()
    const spoolDirectory = await mkdtemp(join(tmpdir(), 'blindkeep-spool-'))
    let index: PartIndex | undefined
    const { address, credentials } = place
    const s3 = await openS3({
      address,
      credentials,
      spoolDirectory,
      index: { partsOf: (location) => defined(index).partsOf(location) },
      createIfMissing: true,
    })
    const real = { ...s3.staging, ...s3.objects }
    try {
      await inWorld(
        async (world) => {
          index = createPartIndex(world.store)
          await work(world, {
            real: { ...real, keyedBytes: s3.keyedBytes },
            async keysOf(uploadId) {
              const keys: string[] = []
              for await (const { key } of s3.keyedBytes.list()) if (key.includes(uploadId)) keys.push(key)
              return keys.toSorted()
            },
          })
        },
        {
          ...options,
          keyedBytes: around?.keyedBytes?.(s3.keyedBytes) ?? s3.keyedBytes,
          around: { ...around, blobs: () => around?.blobs?.(real) ?? real },
        },
      )()
    } finally {
      await s3.close()
      await place.close()
      await rm(spoolDirectory, { recursive: true })
    }
  }
}
