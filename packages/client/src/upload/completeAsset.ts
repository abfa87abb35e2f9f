/** Completes an interrupted asset: its original exists, and metadata or manifest are missing. */
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { SEGMENT_PLAINTEXT_BYTES } from '@blindkeep/protocol/suites'
import type { Device } from '../account/device.ts'
import { AssetError, AssetIncomplete } from '../assets/assetError.ts'
import { type AssetBlob, type AssetFacts, blobOf, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import type { SentUploads } from '../assets/bundleRoles.ts'
import { MAX_METADATA_BYTES, openMetadata, sealMetadata } from '../assets/metadata.ts'
import { assetKeyOf, originalContext } from '../assets/openAsset.ts'
import { readProvenance } from '../assets/provenance.ts'
import { readBlobStart, readWholeBlob } from '../assets/readBlob.ts'
import { descriptionOf } from '../seal/fileHeader.ts'
import { type OpenedPrefix, openPrefix, readPrefix } from '../seal/openHeader.ts'
import { SealError } from '../seal/sealError.ts'
import { plaintextSizeOf } from '../seal/sealedBlob.ts'
import { SendError } from '../send/sendError.ts'
import { roleBlobOf, sendBundle, type UploadProgress } from './sendBundle.ts'
import { type SmallBlob, signBundle, smallBlob } from './signBundle.ts'

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

/**
 * Resolves when the asset is complete; sends nothing when it already is. The header of the original must open under the asset's key. Its content is
 * not read, so a malicious server can have another hash signed; opening the content or `verifyBeforeDestroying` detects that later.
 * Throws `AssetIncomplete` when the original is missing, or metadata that is already signed: only the device that began the upload can finish it
 * then. Throws `SendError`, `AssetError`, `SealError`, and what a call throws.
 */
export async function completeAsset(ports: AssetPorts, assetId: string, options: CompleteAsset): Promise<Completed> {
  try {
    return await completeOnce(ports, assetId, options)
  } catch (error) {
    if (!(error instanceof SendError && error.reason === 'asset_taken')) throw error
    // An open session of an earlier attempt occupies the slot, with another sealing of the metadata or another signature.
    await cancelOpenUploads(ports, assetId, { roles: ['metadata', 'provenance'], signal: options.signal })
    return completeOnce(ports, assetId, options)
  }
}

async function completeOnce(ports: AssetPorts, assetId: string, options: CompleteAsset): Promise<Completed> {
  const { call, environment } = ports
  const { device, signal } = options
  const asset = await readAsset(call, assetId, signal)
  const original = blobOf(asset, 'original')
  if (original === undefined) throw new AssetIncomplete(['original'], 'Finish its upload on the device that began it.')
  if (await isSigned(ports, asset, signal)) return { assetId: asset.assetId, albumId: asset.albumId, uploads: {} }
  const keyMode = requireCompletable(asset)
  const key = await assetKeyOf(ports, asset, undefined)
  const opened = await openOriginal(ports, { asset, original, key, signal })
  const stored = await storedMetadata(ports, { asset, key, signal })
  const metadata =
    stored ?? smallBlob(environment, await sealMetadata({ key, assetId: asset.assetId }, descriptionOf(opened.header)))
  const { envelope, provenance } = await signBundle(ports, {
    keyInputs: { ...ports, albumId: asset.albumId, assetId: asset.assetId, amkVersion: asset.envelope.amk_version },
    key,
    keyMode,
    originalHash: original.hash,
    plaintextSize: opened.plaintextSize,
    metadataHash: metadata.hash,
    device,
    retentionUntil: asset.envelope.retention_until ?? undefined,
  })
  const missing = [
    ...(stored === undefined ? [roleBlobOf('metadata', metadata)] : []),
    roleBlobOf('provenance', provenance),
  ]
  const uploads = await sendBundle({ ...options, call, envelope, blobs: missing, environment })
  return { assetId: asset.assetId, albumId: asset.albumId, uploads }
}

/** An existing manifest commits to metadata that only its author can seal to the same bytes. */
async function isSigned(ports: AssetPorts, asset: AssetFacts, signal: AbortSignal | undefined): Promise<boolean> {
  const provenance = await readProvenance(ports, asset, signal)
  if (provenance === undefined) return false
  if (blobOf(asset, 'metadata') === undefined)
    throw new AssetIncomplete(['metadata'], 'It is signed already: finish its upload on the device that began it.')
  return true
}

/** The values to be signed come from the server, so every value that the key does not prove is compared. */
function requireCompletable({ envelope, albumId, drop }: AssetFacts): 'derived' | 'wrapped' {
  if (envelope.action !== 'create')
    throw new AssetIncomplete(['provenance'], 'Its original was replaced: finish that on the device that began it.')
  if ((envelope.album_id ?? albumId) !== albumId)
    throw new AssetError('asset_differs', 'the server states two albums for the asset')
  const keyMode = drop === undefined ? 'derived' : 'wrapped'
  if (envelope.key_mode !== keyMode)
    throw new AssetError('envelope_differs', 'the server states a key_mode that the asset cannot have')
  if (envelope.chunk_size !== SEGMENT_PLAINTEXT_BYTES)
    throw new AssetError('envelope_differs', 'the server states a chunk_size that the original cannot have')
  return keyMode
}

interface OriginalQuestion {
  readonly asset: AssetFacts
  readonly original: AssetBlob
  readonly key: Uint8Array<ArrayBuffer>
  readonly signal: AbortSignal | undefined
}

async function openOriginal(
  ports: AssetPorts,
  { asset, original, key, signal }: OriginalQuestion,
): Promise<OpenedPrefix & { readonly plaintextSize: number }> {
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash: original.hash, count, signal }))
  const opened = await openPrefix(prefix, originalContext(asset, key))
  const plaintextSize = requirePlaintextSize(opened, original.size, prefix.length)
  if (plaintextSize !== asset.envelope.plaintext_size)
    throw new AssetError('envelope_differs', 'the server states a plaintext_size that the original cannot have')
  return { ...opened, plaintextSize }
}

/** Plaintext bytes in the data segments of a blob, at least `header.size`. Throws `SealError` for a size that no such blob has. */
export function requirePlaintextSize({ header }: OpenedPrefix, sealedSize: number, bytesBefore: number): number {
  const plaintextSize = plaintextSizeOf(sealedSize, bytesBefore)
  if (plaintextSize === undefined) throw new SealError('truncated', 'no sealed blob has this size')
  if (plaintextSize < header.size)
    throw new SealError('size_beyond_plaintext', 'the header states more bytes than the blob has')
  return plaintextSize
}

async function storedMetadata(
  ports: AssetPorts,
  { asset, key, signal }: Omit<OriginalQuestion, 'original'>,
): Promise<SmallBlob | undefined> {
  const blob = blobOf(asset, 'metadata')
  if (blob === undefined) return undefined
  const bytes = await readWholeBlob(ports, { hash: blob.hash, bytesMax: MAX_METADATA_BYTES, signal })
  await openMetadata({ key, assetId: asset.assetId }, bytes)
  return { bytes, hash: blob.hash }
}

interface CancelUploads {
  /** All roles by default. */
  readonly roles?: readonly BlobRole[]
  readonly signal?: AbortSignal | undefined
}

/** Cancels the open sessions of an asset. */
export async function cancelOpenUploads(
  { call }: AssetPorts,
  assetId: string,
  { roles, signal }: CancelUploads = {},
): Promise<void> {
  const { body } = await call('listUploads', { signal })
  const left = body.uploads.filter(
    ({ asset_id, state, blob_role }) =>
      asset_id === assetId && state === 'open' && (roles?.some((role) => role === blob_role) ?? true),
  )
  for (const { upload_id } of left) await call('cancelUpload', { path: { upload_id }, signal })
}
