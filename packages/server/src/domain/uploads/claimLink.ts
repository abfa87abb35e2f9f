import type { UploadId } from '@blindkeep/protocol/ids'
import type { Link, Upload, WriteTx } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'

/** `sibling_finishing`: another upload of the same single-use link is finishing. */
export type FinishingRefusal =
  | Refuses<'upload_not_found'>
  | { readonly refused: 'sibling_finishing'; readonly uploadId: UploadId }

/**
 * Part of the transaction that moves an upload to finishing; `link` is the guest's, as this transaction reads it. Of a
 * single-use link's uploads only one may be finishing: the next one waits until that one has landed or failed, so that
 * no receipt is ever signed for a drop that then may not land.
 */
export async function claimLink(
  tx: WriteTx,
  { upload, link }: { readonly upload: Upload; readonly link: Pick<Link, 'opaqueId' | 'singleUse' | 'claimedBy'> },
): Promise<FinishingRefusal | undefined> {
  if (!link.singleUse || (await tx.links.claim(link.opaqueId, upload.uploadId))) return undefined
  return link.claimedBy === undefined
    ? { refused: 'upload_not_found' }
    : { refused: 'sibling_finishing', uploadId: link.claimedBy }
}
