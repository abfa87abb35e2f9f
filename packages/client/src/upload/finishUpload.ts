import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type AlbumId, type AssetId, parseUploadId, type UploadId } from '@blindkeep/protocol/ids'
import { SEGMENT_SEALED_BYTES } from '@blindkeep/protocol/suites'
import { type AssetFacts, findAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { BUNDLE_ROLES, type BundleRole, type SentUploads } from '../assets/bundleRoles.ts'
import { vouchForSigned } from '../assets/vouchedAsset.ts'
import { createChunkReader } from '../seal/chunkReader.ts'
import type { Source } from '../seal/source.ts'
import { requireSealedBefore } from '../send/samePlaintext.ts'
import { createSendTurns, type SendTurns } from '../send/sendTurns.ts'
import { cancelOpenUploads } from './completeAsset.ts'
import type { PrepareUpload } from './prepareUpload.ts'
import type { UploadProgress } from './sendBundle.ts'
import { type RoleBlob, roleBlobOf, sendBundle } from './sendBundle.ts'
import { smallBlob } from './smallBlob.ts'
import { keyInputsOf, originalSealer, type UploadState } from './uploadState.ts'

export interface FinishUpload {
  readonly state: UploadState
  /** The prepared file. A change is detected before any changed byte is sent. */
  readonly source: Source
  /** The state was never sent, so the server is not asked what it has of it. */
  readonly isNew?: boolean | undefined
  /** Called and awaited when the state has changed. Store it before you return. */
  readonly onState?: ((state: UploadState) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
  /** Pauses: rejects with the signal's reason. The state stays valid for another attempt. */
  readonly signal?: AbortSignal | undefined
  /** Of uploads that run at once. */
  readonly turns?: SendTurns | undefined
}

export type SameFile = Pick<FinishUpload, 'state' | 'source' | 'signal'> & Pick<PrepareUpload, 'onProgress'>

/**
 * Reads the whole file, and throws `SendError` (`file_changed`) unless it is exactly the prepared one. `finishUpload`
 * compares only what the server says that it lacks. Use this for a file that was chosen again and may be another one.
 * Sends nothing.
 */
export async function requireSameFile(
  { accountKey }: Pick<AssetPorts, 'accountKey'>,
  { state, ...comparison }: SameFile,
): Promise<void> {
  const { size: of, tags } = state.original
  await requireSealedBefore({
    ...comparison,
    ...{ sealer: await originalSealer(state, accountKey), tags: fromBase64(tags), of },
  })
}

export interface Uploaded {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  /** The known sessions; the receipts must name them. Without sessions of blobs that another device has sent. */
  readonly uploads: SentUploads
}

/**
 * Sends the missing parts of a prepared upload, and resolves when the asset is complete. Throws `SendError` when it
 * stops; with the remedies `resume` and `restart` the same state can be used again. Throws `AssetUnsigned` when a
 * device that was revoked since has finished it, and `RangeError` for a state of another account or server.
 */
export function finishUpload(ports: AssetPorts, options: FinishUpload): Promise<Uploaded> {
  const { onState, onProgress, signal, turns = createSendTurns() } = options
  let { state, isNew } = options
  return turns.run({
    signal,
    onWaiting: () => onProgress?.({ phase: 'sending', bytes: 0, of: state.original.size, trouble: 'little_room' }),
    attempt: ({ signal, onAdvance }) =>
      finishOnce(ports, {
        ...{ ...options, state, isNew, signal },
        async onState(changed) {
          state = changed
          await onState?.(changed)
        },
        onProgress(progress) {
          onAdvance(progress)
          onProgress?.(progress)
        },
      }),
    async giveBack() {
      isNew = false
      // What has landed stays. A session that has ended is replaced by the next attempt.
      return await cancelOpenUploads(ports, state.envelope.file_id).then(
        () => true,
        () => false,
      )
    },
  })
}

async function finishOnce(ports: AssetPorts, options: FinishUpload): Promise<Uploaded> {
  const { call, accountKey, environment } = ports
  const { state, onState, signal } = options
  requireOwn(ports, state)
  const { albumId, assetId } = keyInputsOf(state.envelope, accountKey)
  const asset = options.isNew === true ? undefined : await findAsset(call, assetId, signal)
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

function requireOwn({ serverUrl, accountId }: AssetPorts, { envelope, ...state }: UploadState): void {
  if (state.baseUrl !== serverUrl) throw new RangeError('this upload belongs to another server')
  if (envelope.created_by_user !== accountId) throw new RangeError('this upload belongs to another account')
}

function holds(asset: AssetFacts | undefined, role: BundleRole, hash: string): boolean {
  return asset?.blobs.some((blob) => blob.role === role && blob.hash === hash) ?? false
}

/** Another device may have completed the same original with its own, valid metadata and manifest. */
async function isFinishedByOther(
  ports: AssetPorts,
  asset: AssetFacts,
  { state, signal }: FinishUpload,
): Promise<boolean> {
  const own = smallBlob(ports.environment, fromBase64(state.provenance.bytes))
  const isOther = asset.complete && !holds(asset, 'provenance', own.hash)
  if (!isOther || !holds(asset, 'original', state.envelope.ciphertext_hash)) return false
  await vouchForSigned(ports, asset, {}, signal)
  return true
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

/** Leaves out the sessions whose blobs another device has replaced by its own. */
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
