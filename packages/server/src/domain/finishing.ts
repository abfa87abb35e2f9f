import { parseDropId, type UploadId } from '@blindkeep/protocol/ids'
import { type Blobs, StorageUnavailable, SyncFailed } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { Store, Upload, WriteTx } from '../ports/store.ts'
import type { LandDrop } from './drops.ts'
import { eachInTurn } from './eachInTurn.ts'
import { newId } from './newId.ts'
import type { ReceiptLog } from './receipts.ts'
import type { Refuses } from './refusals.ts'
import type { StagedBytes } from './staged.ts'
import type { UploadEnding } from './uploads.ts'

/**
 * From the last byte to the receipt. Finishing belongs to the session and not to the request: it goes on when the connection dies,
 * repeats of the last chunk join it, a start resumes it, and nothing else can leave that state.
 */
export type FinishAnswer = { readonly offset: number } | Refuses<'content_hash_wrong' | 'upload_not_found'>

interface FinishingPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly staged: StagedBytes
  readonly receiptLog: ReceiptLog
  readonly ending: UploadEnding
  readonly landDrop: LandDrop
}

export type Finishing = ReturnType<typeof createFinishing>

export function createFinishing({ store, blobs, clock, random, staged, receiptLog, ending, landDrop }: FinishingPorts) {
  const inFlight = new Map<UploadId, Promise<FinishAnswer>>()

  async function run(uploadId: UploadId): Promise<FinishAnswer> {
    const upload = await store.read((tx) => tx.uploads.find(uploadId))
    switch (upload?.state) {
      case 'landed':
        return { offset: upload.size }
      case 'failed':
        return { refused: 'content_hash_wrong', offset: upload.size }
      case 'finishing':
        return (await staged.digest(upload)) === upload.ciphertextHash ? land(upload) : fail(upload, 'finishing')
      default:
        return { refused: 'upload_not_found' }
    }
  }

  async function land(upload: Upload): Promise<FinishAnswer> {
    const dropId = newId(random, parseDropId)
    const { uploadId, ciphertextHash, size } = upload
    let siblings: readonly Upload[] = []
    await receiptLog.append({
      subject: { uploadId, dropId, blobRole: 'original', ciphertextHash, size },
      async commit(tx, receipt) {
        siblings = await landDrop(tx, { upload, dropId, receivedAt: receipt.receivedAt })
      },
    })
    staged.forget(uploadId)
    ending.afterClose(siblings)
    return { offset: size }
  }

  async function fail(upload: Upload, from: 'open' | 'finishing'): Promise<FinishAnswer> {
    const at = clock.now()
    await store.write(async (tx) => {
      await ending.close(tx, upload, { from, to: 'failed', at })
      await tx.links.unclaim(upload.opaqueId, upload.uploadId)
    })
    staged.forget(upload.uploadId)
    ending.afterClose([upload])
    return { refused: 'content_hash_wrong', offset: upload.size }
  }

  /** Resolves when the session has landed or failed; any number of callers share one run. */
  function finish(uploadId: UploadId): Promise<FinishAnswer> {
    const present = inFlight.get(uploadId)
    if (present !== undefined) return present
    const started = run(uploadId).finally(() => inFlight.delete(uploadId))
    inFlight.set(uploadId, started)
    return started
  }

  /**
   * What an error of the blob store means for an open session. After a failed sync nobody knows what the disk holds: that session fails.
   * Bytes that should be there and are not mean that what is remembered of them is worth nothing: the next touch reads them.
   */
  async function storageFault(upload: Upload, error: unknown): Promise<Refuses<'storage_unavailable'>> {
    if (error instanceof SyncFailed) await fail(upload, 'open')
    if (error instanceof StorageUnavailable) return { refused: 'storage_unavailable' }
    staged.forget(upload.uploadId)
    throw error
  }

  return {
    finish,

    /** Makes a session's bytes durable. */
    async settle(upload: Upload): Promise<Refuses<'storage_unavailable'> | undefined> {
      try {
        await blobs.settle(upload.location, upload.size)
        return undefined
      } catch (error) {
        return storageFault(upload, error)
      }
    },

    storageFault,

    /**
     * Enters the state, as part of the transaction that records the last chunk. Of a single-use link's sessions one alone may be in it:
     * whoever comes second waits for the first to land or fail, so that no receipt is ever signed for a drop that then may not land.
     */
    async enter(
      tx: WriteTx,
      upload: Upload,
    ): Promise<
      Refuses<'upload_not_found'> | { readonly refused: 'sibling_finishing'; readonly uploadId: UploadId } | undefined
    > {
      const link = await tx.links.find(upload.opaqueId)
      if (link?.singleUse === true && !(await tx.links.claim(upload.opaqueId, upload.uploadId))) {
        return link.claimedBy === undefined
          ? { refused: 'upload_not_found' }
          : { refused: 'sibling_finishing', uploadId: link.claimedBy }
      }
      await tx.uploads.move(upload.uploadId, { from: 'open', to: 'finishing', at: clock.now() })
      return undefined
    },

    /** What a start, and now and then the sweeper, finds unfinished. */
    async resume(): Promise<void> {
      const waiting = await store.read((tx) => tx.uploads.finishing())
      await eachInTurn(waiting, async (uploadId) => {
        await finish(uploadId)
      })
    },
  }
}
