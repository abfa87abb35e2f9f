import type { Instant, OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { Clock } from '../ports/clock.ts'
import type { Store, Upload, WriteTx } from '../ports/store.ts'
import type { Quota } from './quota.ts'
import type { Refuses } from './refusals.ts'
import type { Writers } from './writers.ts'

/**
 * Upload sessions: open → finishing → landed | failed, open → ended.
 * Here they are found, cancelled and ended; chunks.ts fills them, finishing.ts lands them.
 */
interface EndingPorts {
  readonly store: Store
  readonly clock: Clock
  readonly quota: Quota
  readonly writers: Writers
  /** Told after a commit that left bytes to be removed. */
  readonly onDoomed: () => void
}

export type UploadEnding = ReturnType<typeof createUploadEnding>

export function createUploadEnding({ store, clock, quota, writers, onDoomed }: EndingPorts) {
  /**
   * Ends one session for good, with caps and quota given back and its bytes doomed, all in the caller's transaction.
   * False, and nothing changed, when the session is not in `from` any more.
   */
  async function close(
    tx: WriteTx,
    upload: Upload,
    step: { readonly from: 'open' | 'finishing'; readonly to: 'ended' | 'failed'; readonly at: Instant },
  ): Promise<boolean> {
    if (!(await tx.uploads.move(upload.uploadId, step))) return false
    await tx.links.release(upload.opaqueId, upload.size)
    await quota.refund(tx, upload.accountId, upload.size, step.at)
    await tx.copies.move(upload.location, { from: 'staged', to: 'doomed', at: step.at })
    return true
  }

  /** After the commit of `close`: stops whoever still writes, and has the bytes removed. */
  function afterClose(uploads: readonly Upload[]): void {
    for (const { uploadId } of uploads) void writers.stop(uploadId)
    if (uploads.length > 0) onDoomed()
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
    afterClose,
    end,

    /** Ends what is open on a link, as part of the transaction that revokes or spends it: no crash may come between. Then `afterClose`. */
    async closeAllOfLink(tx: WriteTx, opaqueId: OpaqueId, at: Instant): Promise<readonly Upload[]> {
      const open = await tx.uploads.openOf(opaqueId)
      for (const upload of open) await close(tx, upload, { from: 'open', to: 'ended', at })
      return open
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

/** One that ended is as if it had never been. */
export function isGone(upload: Upload | undefined): upload is undefined {
  return upload === undefined || upload.state === 'ended'
}

/** A drop session as those see it who hold its link and its id. */
export async function findDropUpload(
  store: Store,
  { opaqueId, uploadId }: { readonly opaqueId: OpaqueId; readonly uploadId: UploadId },
): Promise<Upload | Refuses<'upload_not_found'>> {
  const upload = await store.read((tx) => tx.uploads.find(uploadId))
  return isGone(upload) || upload.opaqueId !== opaqueId ? { refused: 'upload_not_found' } : upload
}
