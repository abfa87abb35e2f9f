/** The owner's own files on their way into albums: new ones, and drops out of the inbox. */
import type { AssetId } from '@blindkeep/protocol/ids'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { type AdoptDrop, adoptDrop, type DropToAdopt, newAssetId } from './adoptDrop.ts'
import { type CompleteAsset, type Completed, cancelOpenUploads, completeAsset } from './completeAsset.ts'
import { type FinishUpload, finishUpload, type Uploaded } from './finishUpload.ts'
import { type PrepareUpload, prepareUpload } from './prepareUpload.ts'
import type { UploadProgress } from './sendBundle.ts'
import type { UploadState } from './uploadState.ts'

export interface UploadOptions extends Omit<PrepareUpload, 'onProgress'> {
  /** Called, and awaited, when the state is there and whenever it has changed: keep it, and `finishUpload` goes on after a crash. */
  readonly onState?: ((state: UploadState) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
}

export interface OwnerUploads {
  /** `prepareUpload` and `finishUpload` in one. */
  upload(options: UploadOptions): Promise<Uploaded>
  /** Seals, hashes and signs a file; sends nothing of it. */
  prepareUpload(options: PrepareUpload): Promise<UploadState>
  /** Sends what the server does not hold yet. Resolves when the asset is complete; throws `SendError` when it stops, and then says what to do. */
  finishUpload(options: FinishUpload): Promise<Uploaded>
  /** Ends an upload for good and gives its quota back. What has landed of it already stays, and is deleted with `deleteAsset`. */
  cancelUpload(state: UploadState): Promise<void>
  newAssetId(): AssetId
  /** Makes a drop an asset. A lost answer is found out; after a crash the same call with the same `assetId`, or `completeAsset`, goes on. */
  adoptDrop(drop: DropToAdopt, options: AdoptDrop): Promise<Completed>
  /** Gives an asset whose original is there what it lacks: metadata and a manifest. */
  completeAsset(assetId: string, options: CompleteAsset): Promise<Completed>
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
    cancelUpload: (state) => cancelOpenUploads(ports, state.envelope.file_id),
    newAssetId: () => newAssetId(ports),
    adoptDrop: (drop, options) => adoptDrop(ports, drop, options),
    completeAsset: (assetId, options) => completeAsset(ports, assetId, options),
  }
}
