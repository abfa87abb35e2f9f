/**
 * Moves a file to another album. Its key follows from the album, so it is copied under a new id, the server has to
 * prove that it holds the copy, and only then the first one is deleted (decisions/renaming.md).
 */
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type AlbumId, type AssetId, type Instant, parseInstant, type Sha256Hex } from '@blindkeep/protocol/ids'
import { integer, object, text } from '@blindkeep/protocol/schemas/shape'
import type { Static } from 'typebox'
import type { Device } from '../account/device.ts'
import { type AssetFacts, blobOf, findAsset, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { type OpenedAsset, openAsset } from '../assets/openAsset.ts'
import type { AssetPermissions } from '../assets/vouchedAsset.ts'
import { readAnswer } from '../http/answer.ts'
import { ProblemError } from '../http/errors.ts'
import { type ByteReader, createByteReader } from '../seal/byteReader.ts'
import { type Source, SourceChanged } from '../seal/source.ts'
import { cancelOpenUploads } from '../upload/completeAsset.ts'
import { finishUpload } from '../upload/finishUpload.ts'
import type { OwnerThumbnails } from '../upload/ownerThumbnails.ts'
import { prepareUpload } from '../upload/prepareUpload.ts'
import type { UploadProgress } from '../upload/sendBundle.ts'
import { smallBlob } from '../upload/smallBlob.ts'
import { UploadState } from '../upload/uploadState.ts'
import type { PinnedKeys } from '../verify/pinnedKeys.ts'
import { verifyHeld } from '../verify/verifyHeld.ts'
import { AssetMoveError } from './assetMoveError.ts'

/** What another process of the account needs to finish a move: plain JSON, as private as an `UploadState`. */
export const AssetMoveState = object('AssetMoveState', {
  version: integer('1.', 1),
  assetId: text('The file that moves.'),
  provenanceHash: text('Its manifest when the copy began.'),
  copy: UploadState,
})
export type AssetMoveState = Static<typeof AssetMoveState>

/** Reads a stored state. Throws `RangeError` for anything else. */
export function parseAssetMoveState(json: unknown): AssetMoveState {
  const read = readAnswer(AssetMoveState, json)
  if (read.fault !== undefined) throw new RangeError(`This is not the state of a move: ${read.fault}.`)
  if (read.value.version !== 1) throw new RangeError('A newer client began this move.')
  return read.value
}

export interface MoveAsset extends Pick<AssetPermissions, 'allowRevokedDevice'> {
  readonly assetId: AssetId
  readonly album: AlbumId
  /** Signs the copy. */
  readonly device: Device
  /** Of an earlier call that did not end. */
  readonly state?: AssetMoveState | undefined
  /** Called and awaited at each new state. Store it: after a crash, the same call continues from it. */
  readonly onState?: ((state: AssetMoveState) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
  /** Attestation keys that were pinned before for this server. */
  readonly pinned?: PinnedKeys | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Resolves with the id in the new album when the first one is deleted; at once if the file is in that album. Repeat the
 * call with the last state after a crash: no step is done twice. Throws `AssetMoveError` when the file stays, what
 * `openAsset` and `finishUpload` throw, and what a call throws. The file is in one of the two albums at any time, and
 * after a failure perhaps in both.
 */
export async function moveAsset(
  ports: AssetPorts & { readonly thumbnails: OwnerThumbnails },
  options: MoveAsset,
): Promise<AssetId> {
  const { call } = ports
  const { assetId, album, state, signal } = options
  const found = await findAsset(call, assetId, signal)
  // An earlier call has deleted it: not before its copy was verified, which is cheap to ask again.
  if (found === undefined && state !== undefined) return await verifiedCopy(ports, state, options)
  const asset = found ?? (await readAsset(call, assetId, signal))
  if (asset.albumId === album) return assetId
  if (isRetained(asset, ports.clock.now())) throw new AssetMoveError('retained')
  const copying = state ?? (await begin(ports, asset, options))
  await requireUnchanged(ports, asset, copying)
  await copy(ports, asset, copying, options).catch(async (error: unknown) => {
    // The server has released the blobs of a former manifest.
    if (error instanceof ProblemError && error.code === 'error.blob.not_found')
      await requireUnchanged(ports, await readAsset(call, assetId, signal), copying)
    throw error
  })
  const copied = await verifiedCopy(ports, copying, options)
  await requireUnchanged(ports, await readAsset(call, assetId, signal), copying)
  await call('deleteAsset', { path: { asset_id: assetId }, signal })
  return copied
}

/** Reads and verifies the whole file, and seals it once for its hash. Sends nothing. */
async function begin(ports: AssetPorts, asset: AssetFacts, options: MoveAsset): Promise<AssetMoveState> {
  const { album, device, onState, onProgress, signal } = options
  const open = opening(ports, asset, options)
  const opened = await open()
  const source = storedFile(open, opened.size, opened)
  const preparing = prepareUpload(ports, { ...opened, source, album, device, onProgress, signal })
  const upload = await preparing.finally(source.close)
  const state = { version: 1, assetId: asset.assetId, provenanceHash: provenanceOf(asset) ?? '', copy: upload }
  await onState?.(state)
  return state
}

async function copy(
  ports: AssetPorts & { readonly thumbnails: OwnerThumbnails },
  asset: AssetFacts,
  state: AssetMoveState,
  options: MoveAsset,
): Promise<void> {
  const { onState, onProgress, device, signal, allowRevokedDevice } = options
  const { thumbnails } = ports
  const source = storedFile(opening(ports, asset, options), state.copy.original.header.size)
  const sending = finishUpload(ports, {
    state: state.copy,
    source,
    onState: (changed) => onState?.({ ...state, copy: changed }),
    onProgress,
    signal,
  })
  const { assetId } = await sending.finally(source.close)
  const picture = await thumbnails.readThumbnail(asset, { allowRevokedDevice, signal })
  if (picture === undefined) return
  await thumbnails.addThumbnail({ assetId, originalHash: hashOf(state) }, picture, { device, signal })
}

function opening(ports: AssetPorts, asset: AssetFacts, { allowRevokedDevice, signal }: MoveAsset) {
  return () => openAsset(ports, asset, { allowRevokedDevice, signal })
}

/** Otherwise the copy goes, unless another client has changed that. */
async function requireUnchanged(ports: AssetPorts, asset: AssetFacts, state: AssetMoveState): Promise<void> {
  if (provenanceOf(asset) === state.provenanceHash) return
  const { call, environment } = ports
  const { file_id: assetId } = state.copy.envelope
  await cancelOpenUploads(ports, assetId)
  const signed = smallBlob(environment, fromBase64(state.copy.provenance.bytes)).hash
  const copied = await findAsset(call, assetId)
  if (copied !== undefined && (provenanceOf(copied) ?? signed) === signed)
    await call('deleteAsset', { path: { asset_id: assetId } })
  throw new AssetMoveError('changed')
}

/** Deeply, and of exactly the bytes that this client has sealed. */
async function verifiedCopy(ports: AssetPorts, state: AssetMoveState, options: MoveAsset): Promise<AssetId> {
  const { pinned, signal } = options
  const { file_id: assetId, album_id: albumId } = state.copy.envelope
  if (albumId !== options.album) throw new RangeError('this move goes to another album')
  const { answers } = await verifyHeld(ports, { assetIds: [assetId], pinned, signal })
  const [answer] = answers
  if (answer?.held !== true) throw new AssetMoveError('not_verified', answer?.doubts)
  if (answer.hashes.original !== hashOf(state)) throw new AssetMoveError('not_verified')
  return assetId
}

const hashOf = ({ copy: { envelope } }: AssetMoveState): Sha256Hex => envelope.ciphertext_hash

function provenanceOf(asset: AssetFacts): Sha256Hex | undefined {
  return blobOf(asset, 'provenance')?.hash
}

function isRetained({ envelope: { retention_until: until } }: AssetFacts, now: Instant): boolean {
  return (parseInstant(until ?? '') ?? now) > now
}

interface StoredFile extends Source {
  close(): Promise<void>
}

/** The stored file: a step back opens it again. Its end shows that it is the signed one. */
function storedFile(open: () => Promise<OpenedAsset>, size: number, first?: OpenedAsset): StoredFile {
  let reader: ByteReader | undefined = first && createByteReader(first.content)
  let at = 0
  const close = async () => {
    await reader?.cancel().catch(() => undefined)
    reader = undefined
  }
  const current = async () => {
    if (reader === undefined) at = 0
    reader ??= createByteReader((await open()).content)
    return reader
  }
  const take = async (count: number) => {
    const bytes = await (await current()).read(count)
    at += bytes.length
    if (bytes.length < count) throw new SourceChanged()
    return bytes
  }
  return {
    size,
    async read(from, to) {
      if (from < at) await close()
      await current()
      while (at < from) await take(Math.min(from - at, SKIPPED_BYTES))
      return await take(to - from)
    },
    async requireEnd() {
      if (!(await (await current()).atEnd())) throw new SourceChanged()
    },
    close,
  }
}

/** At most so much of a file is in memory while it is read past. */
const SKIPPED_BYTES = 1024 * 1024
