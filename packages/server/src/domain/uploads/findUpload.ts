import type { AccountId, OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { AssetUpload, Chunk, DropUpload, FoundUpload, ReadTx, Upload } from '../../ports/store.ts'
import { isReachable } from '../ground/activeAccount.ts'
import type { Refuses } from '../ground/refusals.ts'

/** An upload, and the chunk that it has at an offset. */
export interface UploadAt<Found extends Upload = Upload> {
  readonly upload: Found
  readonly recorded: Chunk | undefined
}

/** Finds one upload as one caller may see it, in one statement: `store.ask(findDropUpload(scope))`. */
export type FindUpload<Found extends Upload = Upload> = (
  tx: ReadTx,
  offset?: number,
) => Promise<UploadAt<Found> | Refuses<'upload_not_found'>>

/** `see` answers the upload if the caller may see it. An ended upload answers as an unknown one. */
function finding<Found extends Upload>(
  uploadId: UploadId,
  see: (found: FoundUpload) => Found | undefined,
): FindUpload<Found> {
  return async (tx, offset) => {
    const found = await tx.uploads.findAt(uploadId, offset)
    const upload = found === undefined || found.upload.state === 'ended' ? undefined : see(found)
    return upload === undefined ? { refused: 'upload_not_found' } : { upload, recorded: found?.recorded }
  }
}

/** Finds the upload without a check of the caller. */
export function findUpload(uploadId: UploadId): FindUpload {
  return finding(uploadId, ({ upload }) => upload)
}

/**
 * A drop session, for a guest with its link and its id. A suspended or deleted owner looks like a revoked link: an open
 * upload is not found, a finishing one still lands, and a landed one answers as before.
 */
export function findDropUpload(scope: {
  readonly opaqueId: OpaqueId
  readonly uploadId: UploadId
}): FindUpload<DropUpload> {
  return finding(scope.uploadId, ({ upload, owner }) => {
    if (upload.assetId !== undefined || upload.opaqueId !== scope.opaqueId) return undefined
    return upload.state === 'open' && !isReachable(owner) ? undefined : upload
  })
}

/** An upload that charges this account: its own, or a guest's. */
export function findChargedUpload(scope: { readonly accountId: AccountId; readonly uploadId: UploadId }): FindUpload {
  return finding(scope.uploadId, ({ upload }) => (upload.accountId === scope.accountId ? upload : undefined))
}

/** An upload of the account itself. */
export function findOwnUpload(scope: {
  readonly accountId: AccountId
  readonly uploadId: UploadId
}): FindUpload<AssetUpload> {
  return finding(scope.uploadId, ({ upload }) =>
    upload.assetId !== undefined && upload.accountId === scope.accountId ? upload : undefined,
  )
}
