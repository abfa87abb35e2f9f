/**
 * From the last byte to the receipt. Finishing belongs to the upload, not to the request: it continues when the
 * connection breaks, repeats of the last chunk join it, a start resumes it, and nothing else can leave that state.
 */
import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import { addSeconds, type Instant, type UploadId } from '@blindkeep/protocol/ids'
import { createPause, type GiveUpAfter } from '../../ground/pause.ts'
import { StorageFull, StorageUnavailable, SyncFailed } from '../../ground/storageErrors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Staging } from '../../ports/staging.ts'
import {
  accountLock,
  isStoreBroken,
  type Lease,
  OutcomeUnknown,
  type Store,
  type Upload,
  type UploadFailure,
} from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import type { Landing } from './landing.ts'
import type { StagedBytes } from './stagedBytes.ts'

export type FinishAnswer = { readonly offset: number } | FailedAnswer | Refuses<'upload_not_found'>
type FailedAnswer = Refuses<UploadFailure>
type StorageRefusal = Refuses<'storage_unavailable' | 'storage_full'>

/** A process that dies while finishing holds its upload for so long. A living one renews its lease. */
const LEASE_SECONDS = 10
const RENEWAL_MS = 3_000
/** Between two looks at a row that another process finishes. */
const LOOK_MS = 200

interface FinishingPorts {
  readonly store: Store
  readonly clock: Clock
  /** Names this process. */
  readonly nodeId: string
  readonly giveUpAfter: GiveUpAfter
  readonly staging: Staging
  readonly staged: StagedBytes
  readonly ending: UploadEnding
  readonly landing: Pick<Landing, 'land'>
}

export type Finishing = ReturnType<typeof createFinishing>

export function createFinishing(ports: FinishingPorts) {
  const { store, staging, clock, staged, ending, landing } = ports
  const lease = createLease(ports)

  /** Undefined if another process finishes it. `entered`: the upload that this process just moved to finishing. */
  const finishHere = shared(async (uploadId, entered?: Upload): Promise<FinishAnswer | undefined> => {
    if (entered !== undefined) return lease.during(uploadId, () => completeOrRead(entered))
    const upload = await store.read((tx) => tx.uploads.find(uploadId))
    if (upload?.state !== 'finishing') return closedAnswer(upload)
    return (await lease.take(upload)) ? lease.during(uploadId, () => completeOrRead(upload)) : undefined
  })

  /** Resolves when the upload has landed or failed. All callers share one run. */
  const finish = shared((uploadId, entered) => lease.untilAnswered(() => finishHere(uploadId, entered)))

  /** If another process closed it meanwhile, or the answer to our own commit was lost, the row knows the answer. */
  async function completeOrRead(upload: Upload, isSecond = false): Promise<FinishAnswer> {
    try {
      return await complete(upload)
    } catch (error) {
      const present = await store.read((tx) => tx.uploads.find(upload.uploadId)).catch(() => upload)
      if (present?.state !== 'finishing') return closedAnswer(present)
      if (error instanceof OutcomeUnknown && !isSecond) return completeOrRead(upload, true)
      throw error
    }
  }

  async function complete(upload: Upload): Promise<FinishAnswer> {
    const isRight = (await staged.digest(upload)) === upload.ciphertextHash
    const refused = isRight ? await landing.land(upload) : hashWrong(upload)
    if (refused !== undefined) return fail(upload, { from: 'finishing', refused })
    staged.forget(upload.uploadId)
    return { offset: upload.size }
  }

  async function fail(
    upload: Upload,
    { from, refused }: { readonly from: 'open' | 'finishing'; readonly refused: FailedAnswer },
  ): Promise<FinishAnswer> {
    const { uploadId, size } = upload
    const at = clock.now()
    const isClosed = await store.write([accountLock(upload.accountId)], async (tx) => {
      const closed = await ending.close(tx, upload, { from, to: 'failed', at, failure: refused.refused })
      if (upload.assetId === undefined) await tx.links.unclaim(upload.opaqueId, uploadId)
      return closed
    })
    staged.forget(uploadId)
    // Another process landed or failed this upload first. To this process the landed blob looked like a taken slot, so
    // read the row instead.
    if (!isClosed && from === 'finishing') return closedAnswer(await store.read((tx) => tx.uploads.find(uploadId)))
    return { ...refused, offset: size }
  }

  /**
   * Handles an error of the blob store in an open upload. After a failed sync the content of the disk is unknown: the
   * upload fails. After any other error but `StorageUnavailable` the running hash may be wrong: it is forgotten, the
   * next chunk reads the bytes again, and the error is thrown.
   */
  async function storageFault(upload: Upload, error: unknown): Promise<StorageRefusal> {
    if (error instanceof SyncFailed) await fail(upload, { from: 'open', refused: hashWrong(upload) })
    if (error instanceof StorageUnavailable) return refusalFor(error)
    staged.forget(upload.uploadId)
    throw error
  }

  return {
    finish,
    storageFault,

    /** Makes an upload's bytes durable. */
    async settle(upload: Upload): Promise<StorageRefusal | undefined> {
      try {
        await staging.settle(upload.location, upload.size)
        return undefined
      } catch (error) {
        return storageFault(upload, error)
      }
    },

    /** With which the last chunk moves its upload to finishing. */
    leaseFrom: lease.from,

    /** Finishes what a process or attempt left finishing, except what another process finishes now. */
    async resume(): Promise<void> {
      const waiting = await lease.waiting()
      await tryEachInTurn(waiting, async (uploadId) => void (await finishHere(uploadId)), isStoreBroken)
    },
  }
}

function refusalFor(error: StorageUnavailable): StorageRefusal {
  return { refused: error instanceof StorageFull ? 'storage_full' : 'storage_unavailable', cause: error }
}

function shared<Answer>(run: (uploadId: UploadId, entered?: Upload) => Promise<Answer>): typeof run {
  const inFlight = new Map<UploadId, Promise<Answer>>()
  return (uploadId, entered) => {
    const started = inFlight.get(uploadId) ?? run(uploadId, entered).finally(() => inFlight.delete(uploadId))
    inFlight.set(uploadId, started)
    return started
  }
}

/** The answer to a repeat of the last chunk of an upload that is closed. An open one has another last chunk. */
function closedAnswer(upload: Upload | undefined): FinishAnswer {
  if (upload?.state === 'landed') return { offset: upload.size }
  return upload?.state === 'failed' ? failedAnswer(upload) : { refused: 'upload_not_found' }
}

function hashWrong({ size }: Upload): Refuses<'content_hash_wrong'> {
  return { refused: 'content_hash_wrong', offset: size }
}

/** The answer to every repeat of the last chunk of a failed upload. */
function failedAnswer({ failure = 'content_hash_wrong', size }: Pick<Upload, 'failure' | 'size'>): FailedAnswer {
  const isOfManifest = failure === 'manifest_mismatch' || failure === 'manifest_stale'
  return isOfManifest
    ? { refused: failure, offset: size, detail: 'the session has failed and cannot be resumed' }
    : { refused: failure, offset: size }
}

/**
 * One process finishes an upload at a time: it has a lease in the row, and the others wait. The lease only saves work:
 * if two processes finish an upload all the same, one transaction closes it, and both answer what the row says then.
 */
function createLease({
  store,
  clock,
  nodeId,
  giveUpAfter,
}: Pick<FinishingPorts, 'store' | 'clock' | 'nodeId' | 'giveUpAfter'>) {
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
