import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import { parseDropId, type UploadId } from '@blindkeep/protocol/ids'
import { type Blobs, StorageUnavailable, SyncFailed } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import {
  type AssetUpload,
  type DropUpload,
  isStoreBroken,
  type Store,
  type Upload,
  type UploadFailure,
  type WriteTx,
} from '../../ports/store.ts'
import { type Assets, NoSlot } from '../assets/assets.ts'
import type { CheckProvenance } from '../assets/provenance.ts'
import { judgeSlot, type SlotRefusal } from '../assets/slot.ts'
import type { ReceiptLog } from '../custody/receipts.ts'
import type { LandDrop } from '../drops/drops.ts'
import { newId } from '../newId.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import type { StagedBytes } from './staged.ts'
import type { UploadEnding } from './uploadEnding.ts'

/**
 * From the last byte to the receipt. Finishing belongs to the session and not to the request: it goes on when the connection dies,
 * repeats of the last chunk join it, a start resumes it, and nothing else can leave that state.
 */
type FinishAnswer = { readonly offset: number } | FailedAnswer | Refuses<'upload_not_found'>
type FailedAnswer = Refuses<UploadFailure>

interface FinishingPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly staged: StagedBytes
  readonly receiptLog: ReceiptLog
  readonly ending: UploadEnding
  readonly landDrop: LandDrop
  readonly assets: Assets
  readonly checkProvenance: CheckProvenance
}

export type Finishing = ReturnType<typeof createFinishing>

export function createFinishing(ports: FinishingPorts) {
  const { store, blobs, clock, random, staged, receiptLog, ending, landDrop, assets, checkProvenance } = ports
  const inFlight = new Map<UploadId, Promise<FinishAnswer>>()

  async function run(uploadId: UploadId): Promise<FinishAnswer> {
    const upload = await store.read((tx) => tx.uploads.find(uploadId))
    switch (upload?.state) {
      case 'landed':
        return { offset: upload.size }
      case 'failed':
        return failedAnswer(upload)
      case 'finishing':
        return (await staged.digest(upload)) === upload.ciphertextHash
          ? landAny(upload)
          : fail(upload, { from: 'finishing', refused: hashWrong(upload) })
      default:
        return { refused: 'upload_not_found' }
    }
  }

  async function landAny(upload: Upload): Promise<FinishAnswer> {
    const refused = upload.assetId === undefined ? await land(upload) : await landBlob(upload)
    if (refused !== undefined) return fail(upload, { from: 'finishing', refused })
    staged.forget(upload.uploadId)
    return { offset: upload.size }
  }

  async function land(upload: DropUpload): Promise<undefined> {
    const dropId = newId(random, parseDropId)
    const { uploadId, ciphertextHash, size } = upload
    let siblings: readonly Upload[] = []
    await receiptLog.append({
      subject: { uploadId, dropId, blobRole: 'original', ciphertextHash, size },
      async commit(tx, receipt) {
        siblings = await landDrop(tx, { upload, dropId, receivedAt: receipt.receivedAt })
      },
    })
    ending.afterClose(siblings)
  }

  /**
   * Whether there is a place for it is asked first of all, as a manifest is held against the original that is there; and it counts
   * in the transaction that would append the receipt.
   */
  async function landBlob(upload: AssetUpload): Promise<Refuses<UploadFailure> | undefined> {
    const { uploadId, assetId, role, ciphertextHash, size } = upload
    const refused = await store.read((tx) => judgeSlot(tx, upload))
    if (refused !== undefined) return failureOf(refused)
    const checked = role === 'provenance' ? await checkProvenance(upload) : {}
    if (isRefusal(checked)) return checked
    let ended: readonly Upload[] = []
    try {
      await receiptLog.append({
        subject: { uploadId, assetId, blobRole: role, ciphertextHash, size, ...checked },
        async commit(tx, receipt) {
          ended = await assets.land(tx, upload, receipt.receivedAt)
        },
      })
      ending.afterClose(ended)
      return undefined
    } catch (error) {
      if (error instanceof NoSlot) return failureOf(error.refusal)
      throw error
    }
  }

  /** Another process may have come first, and what it landed looks as if the place were taken: the session then says itself what became of it. */
  async function fail(
    upload: Upload,
    { from, refused }: { readonly from: 'open' | 'finishing'; readonly refused: Refuses<UploadFailure> },
  ): Promise<FinishAnswer> {
    const { uploadId, size } = upload
    const at = clock.now()
    const isClosed = await store.write(async (tx) => {
      const closed = await ending.close(tx, upload, { from, to: 'failed', at, failure: refused.refused })
      if (upload.assetId === undefined) await tx.links.unclaim(upload.opaqueId, uploadId)
      return closed
    })
    staged.forget(uploadId)
    if (!isClosed && from === 'finishing') return run(uploadId)
    ending.afterClose([upload])
    return { ...refused, offset: size }
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
    if (error instanceof SyncFailed) await fail(upload, { from: 'open', refused: hashWrong(upload) })
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
      const link = upload.assetId === undefined ? await tx.links.find(upload.opaqueId) : undefined
      if (link?.singleUse === true && !(await tx.links.claim(link.opaqueId, upload.uploadId))) {
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

function hashWrong({ size }: Upload): Refuses<'content_hash_wrong'> {
  return { refused: 'content_hash_wrong', offset: size }
}

/** What a failed session answers to whoever asks again. */
function failedAnswer({ failure = 'content_hash_wrong', size }: Pick<Upload, 'failure' | 'size'>): FailedAnswer {
  const isOfManifest = failure === 'manifest_mismatch' || failure === 'manifest_stale'
  return isOfManifest
    ? { refused: failure, offset: size, detail: 'the session failed and is over' }
    : { refused: failure, offset: size }
}

/** At the end there is no room any more for telling a full asset from a taken place. */
function failureOf(refusal: SlotRefusal): Refuses<'asset_id_taken' | 'manifest_stale'> {
  return refusal.refused === 'limit_reached' ? { refused: 'asset_id_taken' } : refusal
}
