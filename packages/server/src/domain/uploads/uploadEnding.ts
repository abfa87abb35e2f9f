import type { AssetId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Store, Upload, UploadFailure, WriteTx } from '../../ports/store.ts'
import { noteLinkChange } from '../changes/changes.ts'
import type { Quota } from '../quota/quota.ts'
import type { Refuses } from '../refusals.ts'
import { isGone } from './uploads.ts'
import type { Writers } from './writers.ts'

/** How sessions end that do not land: cancelled, run out, failed, or with the link or the asset that they belong to. */
interface EndingPorts {
  readonly store: Store
  readonly clock: Clock
  readonly quota: Quota
  readonly writers: Writers
  /** CappedList after a commit that left bytes to be removed. */
  readonly onDeleting: () => void
}

type ClosingStep =
  | { readonly from: 'open'; readonly to: 'ended'; readonly at: Instant }
  | {
      readonly from: 'open' | 'finishing'
      readonly to: 'failed'
      readonly at: Instant
      readonly failure: UploadFailure
    }

export type UploadEnding = ReturnType<typeof createUploadEnding>

export function createUploadEnding({ store, clock, quota, writers, onDeleting }: EndingPorts) {
  /**
   * Ends one session for good, with caps and quota given back, its bytes deleting and the id that it alone reserved given up, all in the caller's transaction.
   * False, and nothing changed, when the session is not in `from` any more.
   */
  async function close(tx: WriteTx, upload: Upload, step: ClosingStep): Promise<boolean> {
    if (!(await tx.uploads.move(upload.uploadId, step))) return false
    if (upload.assetId === undefined) {
      await tx.links.release(upload.opaqueId, upload.size)
      await noteLinkChange(tx, upload, step.at)
    } else await tx.assets.giveUp(upload.assetId)
    await quota.refund(tx, upload.accountId, upload.size, step.at)
    await tx.objects.move(upload.location, { from: 'staged', to: 'deleting', at: step.at })
    return true
  }

  /** Ends those of them that are open, in the caller's transaction, and says which. Then `afterClose`. */
  async function closeAll(tx: WriteTx, uploads: readonly Upload[], at: Instant): Promise<readonly Upload[]> {
    const closed: Upload[] = []
    for (const upload of uploads) if (await close(tx, upload, { from: 'open', to: 'ended', at })) closed.push(upload)
    return closed
  }

  /** After the commit of `close`: stops whoever still writes, and has the bytes removed. */
  function afterClose(uploads: readonly Upload[]): void {
    for (const { uploadId } of uploads) void writers.stop(uploadId)
    if (uploads.length > 0) onDeleting()
  }

  /** Ends those that are still open, unless `judge` says no inside the transaction, and says which; what is finishing goes on. */
  async function end(
    uploads: readonly Upload[],
    judge: (tx: WriteTx, upload: Upload) => Promise<boolean> = async () => true,
  ): Promise<readonly Upload[]> {
    const at = clock.now()
    const ended = await store.write(async (tx) => {
      const closed: Upload[] = []
      for (const upload of uploads) {
        if ((await judge(tx, upload)) && (await close(tx, upload, { from: 'open', to: 'ended', at })))
          closed.push(upload)
      }
      return closed
    })
    afterClose(ended)
    return ended
  }

  return {
    close,
    closeAll,
    afterClose,
    end,

    /** Ends what is open on a link, as part of the transaction that revokes or spends it: no crash may come between. Then `afterClose`. */
    async closeAllOfLink(tx: WriteTx, opaqueId: OpaqueId, at: Instant): Promise<readonly Upload[]> {
      return closeAll(tx, await tx.uploads.openOf(opaqueId), at)
    },

    /** The same for an asset that is deleted. What is finishing then finds no place to land. */
    async closeAllOfAsset(tx: WriteTx, assetId: AssetId, at: Instant): Promise<readonly Upload[]> {
      return closeAll(tx, await tx.uploads.unclosedOfAsset(assetId), at)
    },

    /** Cancels an open session. One that is over, or about to be, stays as it is. */
    async cancel(upload: Upload): Promise<Refuses<'upload_closed' | 'upload_not_found'> | undefined> {
      const [ended] = await end([upload])
      if (ended !== undefined) return undefined
      const present = await store.read((tx) => tx.uploads.find(upload.uploadId))
      return isGone(present)
        ? { refused: 'upload_not_found' }
        : { refused: 'upload_closed', offset: present.receivedBytes }
    },
  }
}
