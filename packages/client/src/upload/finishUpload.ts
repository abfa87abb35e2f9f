import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type AlbumId, type AssetId, parseUploadId, type UploadId } from '@blindkeep/protocol/ids'
import { SEGMENT_SEALED_BYTES } from '@blindkeep/protocol/suites'
import { type AssetFacts, findAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { BUNDLE_ROLES, type BundleRole, type SentUploads } from '../assets/bundleRoles.ts'
import { readProvenance } from '../assets/provenance.ts'
import { createChunkReader } from '../seal/chunkReader.ts'
import type { Source } from '../seal/source.ts'
import type { UploadProgress } from './sendBundle.ts'
import { type RoleBlob, roleBlobOf, sendBundle } from './sendBundle.ts'
import { smallBlob } from './signBundle.ts'
import { originalSealer, placeOf, type UploadState } from './uploadState.ts'

export interface FinishUpload {
  readonly state: UploadState
  /** The file that was prepared; one that has changed since is noticed before any byte of it is sent. */
  readonly source: Source
  /** Called, and awaited, when the state has changed: keep it before anything else happens. */
  readonly onState?: ((state: UploadState) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
  /** Pauses: rejects with the signal's reason, and the state stays good for another try. */
  readonly signal?: AbortSignal | undefined
}

export interface Uploaded {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  /** The sessions that are known, which the receipts have to name; none of those whose blobs somebody else has sent. */
  readonly uploads: SentUploads
}

/**
 * Sends what the server does not hold yet of a prepared upload, and resolves when the asset is complete. Throws `SendError` when it stops, and then says
 * what to do; with the remedy `resume` or `start_anew` the same state is good for another try. Throws `RangeError` for a state of another account or server.
 */
export async function finishUpload(ports: AssetPorts, options: FinishUpload): Promise<Uploaded> {
  const { call, accountKey, environment } = ports
  const { state, onState, signal } = options
  requireOwn(ports, state)
  const { albumId, assetId } = placeOf(state.envelope, accountKey)
  const asset = await findAsset(call, assetId, signal)
  const known = knownUploads(state)
  if (asset !== undefined && (await isFinishedByOther(ports, asset, options)))
    return { assetId, albumId, uploads: landedOf(ports, asset, state) }
  const blobs = (await blobsOf(ports, options)).filter(({ role, hash }) => !holds(asset, role, hash))
  let current = state
  const sent = await sendBundle({
    ...options,
    call,
    envelope: state.envelope,
    blobs,
    onCreated: async (role, uploadId) => {
      current = { ...current, [role]: { ...current[role], uploadId } }
      await onState?.(current)
    },
    environment,
  })
  return { assetId, albumId, uploads: { ...known, ...sent } }
}

function requireOwn({ baseUrl, accountId }: AssetPorts, { envelope, ...state }: UploadState): void {
  if (state.baseUrl !== baseUrl) throw new RangeError('this upload was begun at another server')
  if (envelope.created_by_user !== accountId) throw new RangeError('this upload was begun by another account')
}

function holds(asset: AssetFacts | undefined, role: BundleRole, hash: string): boolean {
  return asset?.blobs.some((blob) => blob.role === role && blob.hash === hash) ?? false
}

/** Another device of the account may have given the same original metadata and a manifest of its own, which then stand. */
async function isFinishedByOther(
  ports: AssetPorts,
  asset: AssetFacts,
  { state, signal }: FinishUpload,
): Promise<boolean> {
  const own = smallBlob(ports.environment, fromBase64(state.provenance.bytes))
  const isOther = asset.complete && !holds(asset, 'provenance', own.hash)
  if (!isOther || !holds(asset, 'original', state.envelope.ciphertext_hash)) return false
  return (await readProvenance(ports, asset, signal)) !== undefined
}

async function blobsOf(
  { accountKey, environment }: AssetPorts,
  { state, source, signal }: FinishUpload,
): Promise<readonly RoleBlob[]> {
  const { envelope, original, metadata, provenance } = state
  const sealer = await originalSealer(state, accountKey)
  const uploads = knownUploads(state)
  return [
    {
      role: 'original',
      hash: envelope.ciphertext_hash,
      size: original.size,
      segments: { first: sealer.prefix.length, each: SEGMENT_SEALED_BYTES },
      readChunk: createChunkReader({ sealer, source, tags: fromBase64(original.tags), signal }),
      uploadId: uploads.original,
    },
    roleBlobOf('metadata', smallBlob(environment, fromBase64(metadata.bytes)), uploads.metadata),
    roleBlobOf('provenance', smallBlob(environment, fromBase64(provenance.bytes)), uploads.provenance),
  ]
}

/** Sessions whose blobs another device has replaced by its own have brought nothing. */
function landedOf({ environment }: AssetPorts, asset: AssetFacts, state: UploadState): SentUploads {
  const hashes: Readonly<Record<BundleRole, string>> = {
    original: state.envelope.ciphertext_hash,
    metadata: smallBlob(environment, fromBase64(state.metadata.bytes)).hash,
    provenance: smallBlob(environment, fromBase64(state.provenance.bytes)).hash,
  }
  return knownUploads(
    state,
    BUNDLE_ROLES.filter((role) => holds(asset, role, hashes[role])),
  )
}

function knownUploads(state: UploadState, roles: readonly BundleRole[] = BUNDLE_ROLES): SentUploads {
  const known: { [Role in BundleRole]?: UploadId } = {}
  for (const role of roles) {
    const uploadId = parseUploadId(state[role].uploadId ?? '')
    if (uploadId !== undefined) known[role] = uploadId
  }
  return known
}
