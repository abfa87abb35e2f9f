import { Histogram } from 'prom-client'
import { BlobMissing, DigestsBusy, StorageUnavailable, SyncFailed } from '../../ground/storageErrors.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Staging } from '../../ports/staging.ts'
import { type Figures, one } from './figures.ts'

/** Seconds. A digest of a large object takes minutes. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]

interface Bytes {
  readonly staging: Staging
  readonly objects: Objects
}

/** The same bytes. What is written, synced and read again is counted and timed. */
export function meterBytes({ staging, objects }: Bytes, { registry, total }: Figures): Bytes {
  const seconds = new Histogram({
    name: 'blindkeep_bytes_duration_seconds',
    help: 'Time that the store of bytes took, by operation and outcome. write: a chunk, with its arrival. settle: the sync before a receipt. digest: an object read again by the scrubber or for verification.',
    labelNames: ['operation', 'outcome'],
    buckets: BUCKETS,
    registers: [registry],
  })
  // An alert on its increase needs the series before the first failure.
  seconds.zero({ operation: 'settle', outcome: 'sync_failed' })
  let written = 0
  let digested = 0
  total({ name: 'blindkeep_bytes_written_total', help: 'Bytes of chunks that were written.' }, () => one(written))
  total({ name: 'blindkeep_bytes_digested_total', help: 'Bytes of objects that were read again.' }, () => one(digested))

  async function timed<Result>(operation: string, run: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const begunAt = performance.now()
    const observe = (outcome: string) => seconds.observe({ operation, outcome }, (performance.now() - begunAt) / 1000)
    try {
      const result = await run()
      observe('ok')
      return result
    } catch (error) {
      observe(signal?.aborted === true ? 'aborted' : outcomeOf(error))
      throw error
    }
  }

  return {
    staging: {
      ...staging,
      write(place, request) {
        const onBytes = (bytes: Uint8Array) => {
          request.onBytes(bytes)
          written += bytes.length
        }
        return timed('write', () => staging.write(place, { ...request, onBytes }), request.signal)
      },
      settle: (location, size) => timed('settle', () => staging.settle(location, size)),
    },
    objects: {
      ...objects,
      async digest(location, size, signal) {
        const digest = await timed('digest', () => objects.digest(location, size, signal), signal)
        digested += Math.min(size, digest.size)
        return digest
      },
    },
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof BlobMissing) return 'missing'
  if (error instanceof DigestsBusy) return 'busy'
  // A body that is refused while it arrives fails with an error of the caller.
  if (error instanceof SyncFailed) return 'sync_failed'
  return error instanceof StorageUnavailable ? 'unavailable' : 'failed'
}
