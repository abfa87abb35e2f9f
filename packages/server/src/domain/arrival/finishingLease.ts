/**
 * One process finishes an upload at a time: it has a lease in the row, and the others wait. The lease only saves work:
 * if two processes finish an upload all the same, one transaction closes it, and both answer what the row says then.
 */
import { addSeconds, type Instant, type UploadId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Lease, Store, Upload } from '../../ports/store.ts'
import { createPause, type GiveUpAfter } from '../ground/pause.ts'

export interface LeasePorts {
  readonly store: Store
  readonly clock: Clock
  /** Names this process. */
  readonly nodeId: string
  readonly giveUpAfter: GiveUpAfter
}

/** A process that dies while finishing holds its upload for so long. A living one renews its lease. */
const LEASE_SECONDS = 10
const RENEWAL_MS = 3_000
/** Between two looks at a row that another process finishes. */
const LOOK_MS = 200

export function createFinishingLease({ store, clock, nodeId, giveUpAfter }: LeasePorts) {
  const pause = createPause(giveUpAfter)
  const from = (at: Instant): Lease => ({ by: nodeId, until: addSeconds(at, LEASE_SECONDS) })

  function renew(uploadId: UploadId): Promise<boolean> {
    const at = clock.now()
    return store.write([], (tx) => tx.uploads.lease(uploadId, { ...from(at), at }))
  }

  /** Reading a large file again may take longer than a lease. */
  async function renewUntil(uploadId: UploadId, ended: AbortSignal): Promise<void> {
    while (await pause(RENEWAL_MS, ended)) await renew(uploadId).catch(() => undefined)
  }

  return {
    /** For the row of an upload that this process is about to finish. */
    from,

    /**
     * Whether this process may finish now. `upload`: the present row. An own expired lease counts until it is taken.
     */
    take: async ({ uploadId, lease }: Upload): Promise<boolean> => lease?.by === nodeId || renew(uploadId),

    /** Renews the lease while `work` runs. */
    async during<Result>(uploadId: UploadId, work: () => Promise<Result>): Promise<Result> {
      const ended = new AbortController()
      void renewUntil(uploadId, ended.signal)
      return work().finally(() => ended.abort())
    },

    /** The uploads that this process may finish. */
    waiting: (): Promise<readonly UploadId[]> =>
      store.read((tx) => tx.uploads.finishing({ by: nodeId, at: clock.now() })),

    /** Looks again and again while another process finishes the upload. */
    async untilAnswered<Answer>(look: () => Promise<Answer | undefined>): Promise<Answer> {
      for (;;) {
        const answer = await look()
        if (answer !== undefined) return answer
        await pause(LOOK_MS)
      }
    },
  }
}
