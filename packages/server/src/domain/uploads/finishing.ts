/**
 * From the last byte to the receipt. Finishing belongs to the upload, not to the request: it continues when the connection breaks,
 * repeats of the last chunk join it, a start resumes it, and nothing else can leave that state.
 */
import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import type { Instant, UploadId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Staging } from '../../ports/staging.ts'
import { StorageUnavailable, SyncFailed } from '../../ports/storageErrors.ts'
import {
  accountLock,
  isStoreBroken,
  type Store,
  type Upload,
  type UploadFailure,
  type WriteTx,
} from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'
import type { Land } from './landing.ts'
import type { StagedBytes } from './staged.ts'
import type { UploadEnding } from './uploadEnding.ts'

export type FinishAnswer = { readonly offset: number } | FailedAnswer | Refuses<'upload_not_found'>
type FailedAnswer = Refuses<UploadFailure>

interface FinishingPorts {
  readonly store: Store
  readonly staging: Staging
  readonly clock: Clock
  readonly staged: StagedBytes
  readonly ending: UploadEnding
  readonly land: Land
}

export type Finishing = ReturnType<typeof createFinishing>

export function createFinishing({ store, staging, clock, staged, ending, land }: FinishingPorts) {
  const inFlight = new Map<UploadId, Promise<FinishAnswer>>()

  async function run(uploadId: UploadId): Promise<FinishAnswer> {
    const upload = await store.read((tx) => tx.uploads.find(uploadId))
    switch (upload?.state) {
      case 'landed':
        return { offset: upload.size }
      case 'failed':
        return failedAnswer(upload)
      case 'finishing': {
        const isRight = (await staged.digest(upload)) === upload.ciphertextHash
        const refused = isRight ? await land(upload) : hashWrong(upload)
        if (refused !== undefined) return fail(upload, { from: 'finishing', refused })
        staged.forget(uploadId)
        return { offset: upload.size }
      }
      default:
        return { refused: 'upload_not_found' }
    }
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
    // Another process landed or failed this upload first. To this process the landed blob looked like a taken slot, so read the row instead.
    if (!isClosed && from === 'finishing') return run(uploadId)
    ending.afterCommit([upload])
    return { ...refused, offset: size }
  }

  /** Resolves when the upload has landed or failed. All callers share one run. */
  function finish(uploadId: UploadId): Promise<FinishAnswer> {
    const present = inFlight.get(uploadId)
    if (present !== undefined) return present
    const started = run(uploadId).finally(() => inFlight.delete(uploadId))
    inFlight.set(uploadId, started)
    return started
  }

  /**
   * Handles an error of the blob store in an open upload. After a failed sync the content of the disk is unknown: the upload fails.
   * After any other error but `StorageUnavailable` the running hash may be wrong: it is forgotten, the next chunk reads the bytes again, and the error is thrown.
   */
  async function storageFault(upload: Upload, error: unknown): Promise<Refuses<'storage_unavailable'>> {
    if (error instanceof SyncFailed) await fail(upload, { from: 'open', refused: hashWrong(upload) })
    if (error instanceof StorageUnavailable) return { refused: 'storage_unavailable' }
    staged.forget(upload.uploadId)
    throw error
  }

  return {
    finish,
    storageFault,

    /** Makes an upload's bytes durable. */
    async settle(upload: Upload): Promise<Refuses<'storage_unavailable'> | undefined> {
      try {
        await staging.settle(upload.location, upload.size)
        return undefined
      } catch (error) {
        return storageFault(upload, error)
      }
    },

    /** Finishes what an earlier process or a failed attempt left in the finishing state. */
    async resume(): Promise<void> {
      const waiting = await store.read((tx) => tx.uploads.finishing())
      await tryEachInTurn(
        waiting,
        async (uploadId) => {
          await finish(uploadId)
        },
        isStoreBroken,
      )
    },
  }
}

/** `sibling_finishing`: another upload of the same single-use link is finishing. */
export type FinishingRefusal =
  | Refuses<'upload_not_found'>
  | { readonly refused: 'sibling_finishing'; readonly uploadId: UploadId }

/**
 * Enters the finishing state, in the transaction that records the last chunk. Of a single-use link's uploads only one may be finishing:
 * the next one waits until that one has landed or failed, so that no receipt is ever signed for a drop that then may not land.
 */
export async function enterFinishing(tx: WriteTx, upload: Upload, at: Instant): Promise<FinishingRefusal | undefined> {
  const link = upload.assetId === undefined ? await tx.links.find(upload.opaqueId) : undefined
  if (link?.singleUse === true && !(await tx.links.claim(link.opaqueId, upload.uploadId))) {
    return link.claimedBy === undefined
      ? { refused: 'upload_not_found' }
      : { refused: 'sibling_finishing', uploadId: link.claimedBy }
  }
  await tx.uploads.move(upload.uploadId, { from: 'open', to: 'finishing', at })
  return undefined
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
