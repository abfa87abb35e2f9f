import type { AccountId, OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { AssetUpload, Chunk, DropUpload, ReadTx, Upload } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../refusals.ts'

/** Finds one upload as one caller may see it: `store.read(findDropUpload(scope))`. */
export type FindUpload<Found extends Upload = Upload> = (tx: ReadTx) => Promise<Found | NotFound>

type NotFound = Refuses<'upload_not_found'>

const NOT_FOUND: NotFound = { refused: 'upload_not_found' }

/** An ended upload answers as an unknown one. */
function isUnknown(upload: Upload | undefined): upload is undefined {
  return upload === undefined || upload.state === 'ended'
}

/** Finds the upload without a check of the caller. */
export function findUpload(uploadId: UploadId): FindUpload {
  return async (tx) => {
    const upload = await tx.uploads.find(uploadId)
    return isUnknown(upload) ? NOT_FOUND : upload
  }
}

/**
 * A drop session, for a guest with its link and its id. A suspended owner looks like a revoked link: an open upload is not found,
 * a finishing one still lands, and a landed one answers as before.
 */
export function findDropUpload(scope: {
  readonly opaqueId: OpaqueId
  readonly uploadId: UploadId
}): FindUpload<DropUpload> {
  return async (tx) => {
    const [upload, owner] = await Promise.all([
      findUpload(scope.uploadId)(tx),
      tx.accounts.standingByLink(scope.opaqueId),
    ])
    if (isRefusal(upload) || upload.assetId !== undefined || upload.opaqueId !== scope.opaqueId) return NOT_FOUND
    return upload.state === 'open' && owner?.suspendedAt !== undefined ? NOT_FOUND : upload
  }
}

/** An upload that charges this account: its own, or a guest's. */
export function findChargedUpload(scope: { readonly accountId: AccountId; readonly uploadId: UploadId }): FindUpload {
  return async (tx) => {
    const upload = await findUpload(scope.uploadId)(tx)
    return isRefusal(upload) || upload.accountId !== scope.accountId ? NOT_FOUND : upload
  }
}

/** An upload of the account itself. */
export function findOwnUpload(scope: {
  readonly accountId: AccountId
  readonly uploadId: UploadId
}): FindUpload<AssetUpload> {
  return async (tx) => {
    const upload = await findChargedUpload(scope)(tx)
    return isRefusal(upload) || upload.assetId === undefined ? NOT_FOUND : upload
  }
}

/** An upload, and the chunk that it has at an offset, read in one snapshot. */
export interface UploadAt {
  readonly upload: Upload
  readonly recorded: Chunk | undefined
}

export interface Sought {
  readonly uploadId: UploadId
  /** Finds this upload as its caller may see it. */
  readonly find: FindUpload
  /** Undefined when the request names none. */
  readonly offset: number | undefined
}

/** Waits for the database once. */
export function findUploadAt({ uploadId, find, offset }: Sought): (tx: ReadTx) => Promise<UploadAt | NotFound> {
  return async (tx) => {
    const [upload, recorded] = await Promise.all([
      find(tx),
      offset === undefined ? undefined : tx.uploads.chunkAt(uploadId, offset),
    ])
    return isRefusal(upload) ? upload : { upload, recorded }
  }
}
