/** Ends uploads that do not land: cancelled, expired, failed, or ended together with their link or asset. */
import { tryEachConcurrently } from '@blindkeep/protocol/concurrency'
import type { AccountId, AssetId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import {
  accountLock,
  type EndingUpload,
  isStoreBroken,
  type Store,
  type Upload,
  type UploadFailure,
  type WriteTx,
} from '../../ports/store.ts'
import { noteLinkChange } from '../changes/changes.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { Quota } from '../quota/quota.ts'
import { findUpload } from './findUpload.ts'
import type { Writers } from './writers.ts'

interface EndingPorts {
  readonly store: Store
  readonly clock: Clock
  readonly quota: Quota
  readonly writers: Writers
  /** Called after a commit that left bytes to remove. */
  readonly onDeleting: () => void
}

type ClosingStep =
  | { readonly from: 'open'; readonly to: 'ended'; readonly at: Instant; readonly receivedBytes?: number }
  | {
      readonly from: 'open' | 'finishing'
      readonly to: 'failed'
      readonly at: Instant
      readonly failure: UploadFailure
    }

export interface WhichEnd {
  /**
   * Only those that have received nothing since they were read, and that no process writes to for long: a chunk is
   * acknowledged without its account's lock.
   */
  readonly isUnchanged: boolean
  readonly mayEnd?: (upload: EndingUpload) => boolean
}

/** How many accounts have uploads ended at once. */
const ACCOUNTS_AT_ONCE = 4

export type UploadEnding = ReturnType<typeof createUploadEnding>

export function createUploadEnding({ store, clock, quota, writers, onDeleting }: EndingPorts) {
  /**
   * Closes one upload: returns its caps or releases its asset's id if no other upload reserved the id, refunds its
   * quota, and moves its object to deleting. After the commit its writer is stopped, and its bytes are removed. False,
   * and nothing changed, when the upload is no longer as the step expects it.
   */
  async function close(tx: WriteTx, upload: EndingUpload, step: ClosingStep): Promise<boolean> {
    if (!(await tx.uploads.move(upload.uploadId, step))) return false
    if (upload.assetId === undefined) {
      await tx.links.release(upload.opaqueId, upload.size)
      await noteLinkChange(tx, upload, step.at)
    } else await tx.assets.giveUp(upload.assetId)
    await quota.refund(tx, upload.accountId, upload.size, step.at)
    await tx.objects.move(upload.location, { from: 'staged', to: 'deleting', at: step.at })
    tx.afterCommit(() => {
      void writers.stop(upload.uploadId)
      onDeleting()
    })
    return true
  }

  /** Ends the open `uploads`. Returns the ended ones; a finishing upload continues. */
  async function endOpen(
    tx: WriteTx,
    uploads: readonly EndingUpload[],
    at: Instant,
    { isUnchanged, mayEnd = () => true }: WhichEnd = { isUnchanged: false },
  ): Promise<readonly EndingUpload[]> {
    const ended: EndingUpload[] = []
    for (const upload of uploads) {
      const asRead = isUnchanged ? { receivedBytes: upload.receivedBytes } : {}
      if (mayEnd(upload) && (await close(tx, upload, { from: 'open', to: 'ended', at, ...asRead }))) ended.push(upload)
    }
    return ended
  }

  /** `endOpen` in a transaction for each account. One that fails keeps no other from ending: it throws at the end. */
  async function end(uploads: readonly EndingUpload[], which?: WhichEnd): Promise<readonly EndingUpload[]> {
    const at = clock.now()
    const ended: EndingUpload[] = []
    const ofAccounts = Map.groupBy(uploads, ({ accountId }) => accountId)
    const endTheirs = async ([accountId, theirs]: [AccountId, readonly EndingUpload[]]): Promise<void> => {
      ended.push(...(await store.write([accountLock(accountId)], (tx) => endOpen(tx, theirs, at, which))))
    }
    await tryEachConcurrently(ofAccounts, ACCOUNTS_AT_ONCE, endTheirs, isStoreBroken)
    return ended
  }

  return {
    close,
    endOpen,
    end,

    /** Part of the transaction that revokes or spends the link, so that no crash can happen between the two. */
    async endOpenOfLink(tx: WriteTx, opaqueId: OpaqueId, at: Instant): Promise<void> {
      await endOpen(tx, await tx.uploads.openOf(opaqueId), at)
    },

    /** In the transaction that deletes or replaces the blobs. A finishing upload then finds no slot. */
    async endOpenOfAsset(tx: WriteTx, assetId: AssetId, at: Instant): Promise<void> {
      await endOpen(tx, await tx.uploads.unclosedOfAsset(assetId), at)
    },

    /** Cancels an open upload. A finishing or closed one stays as it is. */
    async cancel(upload: Upload): Promise<Refuses<'upload_closed' | 'upload_not_found'> | undefined> {
      const [ended] = await end([upload])
      if (ended !== undefined) return undefined
      const present = await store.ask(findUpload(upload.uploadId))
      return isRefusal(present) ? present : { refused: 'upload_closed', offset: present.upload.receivedBytes }
    },
  }
}
