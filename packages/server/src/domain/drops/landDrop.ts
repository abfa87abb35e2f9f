import type { DropId, Instant } from '@blindkeep/protocol/ids'
import type { DropUpload, Upload, WriteTx } from '../../ports/store.ts'
import { noteChange, noteLinkChange } from '../changes/changes.ts'
import { markLanded } from '../uploads/markLanded.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'

interface LandedDrop {
  readonly upload: DropUpload
  readonly dropId: DropId
  readonly receivedAt: Instant
}

/**
 * Puts a finished drop session into the inbox, in the transaction that appends its receipt. The other open sessions of a spent link end with it:
 * it returns those, for `ending.afterCommit`.
 */
export type LandDrop = (tx: WriteTx, drop: LandedDrop) => Promise<readonly Upload[]>

export function createLandDrop({ ending }: { readonly ending: UploadEnding }): LandDrop {
  return async function landDrop(tx, { upload, dropId, receivedAt }) {
    const { uploadId, accountId, opaqueId, ciphertextHash, size, contentType, kemCt, suggestedFilename, location } =
      upload
    const [isSpent] = await Promise.all([
      tx.links.land(opaqueId, size, receivedAt),
      markLanded(tx, upload, receivedAt),
      tx.drops.insert({
        dropId,
        accountId,
        opaqueId,
        uploadId,
        ciphertextHash,
        size,
        contentType,
        kemCt,
        suggestedFilename,
        location,
        receivedAt,
        leasedUntil: undefined,
      }),
      noteChange(tx, accountId, { name: 'drop.landed', dropId, opaqueId }, receivedAt),
      noteLinkChange(tx, upload, receivedAt),
    ])
    return isSpent ? ending.endOpenOfLink(tx, opaqueId, receivedAt) : []
  }
}
