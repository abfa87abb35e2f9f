/** Finishes an asset that lacks metadata or manifest. The owner sees the file before a device signs it. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Device } from '../account/device.ts'
import { AssetIncomplete, AssetUnsigned } from '../assets/assetError.ts'
import { type AssetFacts, blobOf, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import type { SentUploads } from '../assets/bundleRoles.ts'
import { MAX_METADATA_BYTES } from '../assets/metadata.ts'
import { readProvenance } from '../assets/provenance.ts'
import { readWholeBlob } from '../assets/readBlob.ts'
import { ProblemError } from '../http/errors.ts'
import { type ListRequest, wholeList } from '../http/listPages.ts'
import type { FileDescription } from '../seal/fileHeader.ts'
import { SendError } from '../send/sendError.ts'
import { type ChosenOriginal, chooseShown } from './chosenOriginal.ts'
import { roleBlobOf, sendBundle, type UploadProgress } from './sendBundle.ts'
import { openShown, requireAsShown, type ShownAsset, showAsset } from './shownAsset.ts'
import { signBundle } from './signBundle.ts'
import type { SmallBlob } from './smallBlob.ts'

export interface CompleteAsset {
  /** Signs the manifest. */
  readonly device: Device
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Completed {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  /** The sessions of the blobs that this call sent. */
  readonly uploads: SentUploads
}

/** An unfinished asset, opened. Show `file` to the owner: `complete` signs this file and no other. */
export interface IncompleteAsset {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  /** From the sealed header of the original. */
  readonly file: FileDescription
  /** When it arrived in the inbox (RFC 3339); undefined for an own upload. */
  readonly arrivedAt: string | undefined
  /** Until when it cannot be deleted once it is finished, as the server states (RFC 3339): it will be signed. */
  readonly retainUntil: string | undefined
  /** Streams the file, for a preview. It fails like the content of `openAsset`. */
  open(options?: { readonly signal?: AbortSignal | undefined }): Promise<{
    readonly content: ReadableStream<Bytes>
    /** Bytes of the file. */
    readonly size: number
  }>
  /**
   * Resolves when the asset is complete; sends nothing when it already is. Reads the whole file if it is an own upload,
   * to compute the hash that is signed. Throws `AssetError` when the server describes another original, drop, album or
   * metadata than those shown. Throws `AssetIncomplete` for metadata that is already signed: only the device that began
   * the upload can finish it then. Throws `AssetUnsigned` when a device that was revoked since has finished it. Throws
   * `SendError`, `SealError`, and what a call throws.
   */
  complete(options: CompleteAsset): Promise<Completed>
}

/** Throws `AssetIncomplete`, `AssetError`, `SealError`, and what a call throws. */
export async function openIncomplete(
  ports: AssetPorts,
  asset: AssetFacts,
  signal?: AbortSignal,
): Promise<IncompleteAsset> {
  const shown = await showAsset(ports, asset, signal)
  return {
    assetId: asset.assetId,
    albumId: asset.albumId,
    file: shown.file,
    arrivedAt: asset.drop?.receivedAt,
    retainUntil: retentionOf(shown),
    open: async (options) => {
      const { header, content } = await openShown(ports, shown, options?.signal)
      return { content, size: header.size }
    },
    complete: (options) => completeShown(ports, shown, options),
  }
}

export async function completeShown(ports: AssetPorts, shown: ShownAsset, options: CompleteAsset): Promise<Completed> {
  let chosen: ChosenOriginal | undefined
  const choose = async () => {
    chosen ??= await chooseShown(ports, shown, options)
    return chosen
  }
  const { assetId } = shown.asset
  try {
    return await completeOnce(ports, { shown, choose }, options)
  } catch (error) {
    if (!(error instanceof SendError && error.reason === 'asset_taken')) throw error
    // An open session of an earlier attempt occupies the slot, with another sealing of the metadata or another
    // signature.
    await cancelOpenUploads(ports, assetId, { roles: ['metadata', 'provenance'], signal: options.signal })
    return completeOnce(ports, { shown, choose }, options)
  }
}

interface ToComplete {
  readonly shown: ShownAsset
  readonly choose: () => Promise<ChosenOriginal>
}

async function completeOnce(
  ports: AssetPorts,
  { shown, choose }: ToComplete,
  options: CompleteAsset,
): Promise<Completed> {
  const { call, environment } = ports
  const { device, signal } = options
  const { assetId, albumId } = shown.asset
  // This second answer only says which blobs are missing. Everything that is signed comes from `choose`.
  const asset = await readAsset(call, assetId, signal)
  requireAsShown(shown, asset)
  if (await isSigned(ports, asset, signal)) return { assetId, albumId, uploads: {} }
  const original = await choose()
  const storedMetadata = await readStoredMetadata(ports, asset, signal)
  const { envelope, metadata, provenance } = await signBundle(ports, {
    original,
    storedMetadata,
    device,
    retainUntil: retentionOf(shown),
  })
  const missing = [
    ...(storedMetadata === undefined ? [roleBlobOf('metadata', metadata)] : []),
    roleBlobOf('provenance', provenance),
  ]
  const uploads = await sendBundle({ ...options, call, envelope, blobs: missing, environment })
  return { assetId, albumId, uploads }
}

/** Original and manifest must state the same. */
function retentionOf({ asset }: ShownAsset): string | undefined {
  return asset.envelope.retention_until ?? undefined
}

/** An existing manifest commits to metadata that only its author can seal to the same bytes. */
async function isSigned(ports: AssetPorts, asset: AssetFacts, signal: AbortSignal | undefined): Promise<boolean> {
  const provenance = await readProvenance(ports, asset, signal)
  if (provenance === undefined) return false
  const { deviceId, revokedAt } = provenance.device
  if (revokedAt !== undefined) throw new AssetUnsigned({ deviceId, revokedAt })
  if (blobOf(asset, 'metadata') === undefined)
    throw new AssetIncomplete(['metadata'], 'It is signed already: finish its upload on the device that began it.')
  return true
}

async function readStoredMetadata(
  ports: AssetPorts,
  asset: AssetFacts,
  signal: AbortSignal | undefined,
): Promise<SmallBlob | undefined> {
  const blob = blobOf(asset, 'metadata')
  if (blob === undefined) return undefined
  const bytes = await readWholeBlob(ports, { hash: blob.hash, bytesMax: MAX_METADATA_BYTES, signal })
  return { bytes, hash: blob.hash }
}

interface CancelUploads {
  /** All roles by default. */
  readonly roles?: readonly BlobRole[]
  readonly signal?: AbortSignal | undefined
}

/** It has landed or ended since it was listed. */
const OVER: readonly ProblemError['code'][] = ['error.upload.session_closed', 'error.upload.session_not_found']

/** Cancels the open sessions of an asset. */
export async function cancelOpenUploads(
  { call }: AssetPorts,
  assetId: string,
  { roles, signal }: CancelUploads = {},
): Promise<void> {
  const open = await unclosedUploads({ call }, assetId, signal)
  const left = open.filter(({ blob_role }) => roles?.some((role) => role === blob_role) ?? true)
  for (const { upload_id } of left)
    await call('cancelUpload', { path: { upload_id }, signal }).catch((error: unknown) => {
      if (!(error instanceof ProblemError && OVER.includes(error.code))) throw error
    })
}

/** The open sessions of an asset, of all clients of the account. */
export async function unclosedUploads({ call }: Pick<AssetPorts, 'call'>, assetId: string, signal?: AbortSignal) {
  const list = {
    operation: 'listUploads',
    ask: async (request: ListRequest) => (await call('listUploads', request)).body.uploads,
    idOf: ({ upload_id }: { readonly upload_id: string }) => upload_id,
    gone: 'error.upload.session_not_found',
  } as const
  const uploads = await wholeList(list, (upload) => upload, { signal })
  return uploads.filter(({ asset_id, state }) => asset_id === assetId && state === 'open')
}
