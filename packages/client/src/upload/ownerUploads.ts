/** The owner brings files into albums: new files, and drops from the inbox. */
import type { AssetId } from '@blindkeep/protocol/ids'
import type { AssetFacts } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import type { DescribedDrop } from '../drops/inboxDrop.ts'
import { type AdoptDrop, adoptDrop, newAssetId } from './adoptDrop.ts'
import { type Completed, cancelOpenUploads, type IncompleteAsset, openIncomplete } from './completeAsset.ts'
import { type FinishUpload, finishUpload, requireSameFile, type SameFile, type Uploaded } from './finishUpload.ts'
import { type PrepareUpload, prepareUpload } from './prepareUpload.ts'
import { type RenameAsset, renameAsset } from './renameAsset.ts'
import type { UploadProgress } from './sendBundle.ts'
import type { UploadState } from './uploadState.ts'

export interface UploadOptions extends Omit<PrepareUpload, 'onProgress'> {
  /** Awaited at each new state. Store it: after a crash `finishUpload` continues from it. */
  readonly onState?: ((state: UploadState) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
}

export interface OwnerUploads {
  /** `prepareUpload` and `finishUpload` in one. */
  upload(options: UploadOptions): Promise<Uploaded>
  /** Seals, hashes and signs a file; sends none of it. */
  prepareUpload(options: PrepareUpload): Promise<UploadState>
  /** Sends the missing parts. Resolves when the asset is complete. Throws `SendError` when it stops. */
  finishUpload(options: FinishUpload): Promise<Uploaded>
  /** Reads the whole file; throws `SendError` (`file_changed`) unless it is the prepared one, chosen again. */
  requireSameFile(options: SameFile): Promise<void>
  /** Cancels an upload and frees its quota. Parts that have landed stay; `deleteAsset` deletes them. */
  cancelUpload(state: UploadState): Promise<void>
  newAssetId(): AssetId
  /** Makes a drop an asset, also if an answer is lost. After a crash: the same call, or `openIncomplete`. */
  adoptDrop(drop: DescribedDrop, options: AdoptDrop): Promise<Completed>
  /**
   * Opens an asset whose original exists and whose metadata or manifest are missing, so that the owner sees the file.
   * Only what this returns can be finished. Throws `AssetIncomplete` when only the device that began the upload can
   * finish it, `AssetError`, `SealError`, and what a call throws.
   */
  openIncomplete(asset: AssetFacts, options?: { readonly signal?: AbortSignal | undefined }): Promise<IncompleteAsset>
  /** Changes the name of a file that a device has signed. See `renameAsset`. */
  renameAsset(assetId: string, options: RenameAsset): Promise<void>
}

export function createOwnerUploads(ports: AssetPorts): OwnerUploads {
  return {
    async upload(options) {
      const state = await prepareUpload(ports, options)
      await options.onState?.(state)
      return finishUpload(ports, { ...options, state })
    },
    prepareUpload: (options) => prepareUpload(ports, options),
    finishUpload: (options) => finishUpload(ports, options),
    requireSameFile: (options) => requireSameFile(ports, options),
    cancelUpload: (state) => cancelOpenUploads(ports, state.envelope.file_id),
    newAssetId: () => newAssetId(ports),
    adoptDrop: (drop, options) => adoptDrop(ports, drop, options),
    openIncomplete: (asset, options) => openIncomplete(ports, asset, options?.signal),
    renameAsset: (assetId, options) => renameAsset(ports, assetId, options),
  }
}
