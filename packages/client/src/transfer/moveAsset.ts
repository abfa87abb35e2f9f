/**
 * Moves a file to another album. Its key follows from the album, so it is copied under a new id, the server has to
 * prove that it holds the copy, and only then the first one is deleted (decisions/renaming.md).
 */
import { fromHex, uuidBytes } from '@blindkeep/protocol/bytes'
import {
  type AlbumId,
  type AssetId,
  type Instant,
  parseAssetId,
  parseInstant,
  type Sha256Hex,
} from '@blindkeep/protocol/ids'
import { integer, object, text } from '@blindkeep/protocol/schemas/shape'
import type { Static } from '@blindkeep/protocol/static'
import type { Device } from '../account/device.ts'
import { AssetError, AssetUnsigned } from '../assets/assetError.ts'
import { type AssetFacts, blobOf, findAsset, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { type OpenedAsset, openAsset } from '../assets/openAsset.ts'
import type { AssetPermissions } from '../assets/vouchedAsset.ts'
import type { OwnerBin } from '../bin/ownerBin.ts'
import { readAnswer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { ProblemError } from '../http/errors.ts'
import { type ByteReader, createByteReader } from '../seal/byteReader.ts'
import { movedAssetId } from '../seal/derive.ts'
import { newId } from '../seal/newId.ts'
import { type Source, SourceChanged } from '../seal/source.ts'
import { SendError } from '../send/sendError.ts'
import { cancelOpenUploads, openIncomplete, unclosedUploads } from '../upload/completeAsset.ts'
import { finishUpload } from '../upload/finishUpload.ts'
import type { OwnerThumbnails } from '../upload/ownerThumbnails.ts'
import { prepareUpload } from '../upload/prepareUpload.ts'
import type { UploadProgress } from '../upload/sendBundle.ts'
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
  /** Of an earlier call that did not end: then what has arrived is not sent again. */
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
 * call after a crash, on this or another machine: there is one copy, and no second one. Throws `AssetMoveError` when
 * the file stays, what `openAsset` and `finishUpload` throw, and what a call throws. The file is in one of the two
 * albums at any time, and after a failure perhaps in both.
 */
export async function moveAsset(ports: MovePorts, given: MoveAsset): Promise<AssetId> {
  const { call } = ports
  const { assetId, album, signal } = given
  // Of a move to another album, which may still go on elsewhere: its copy is not touched.
  const isOfThisMove = given.state?.assetId === assetId && given.state.copy.envelope.album_id === album
  const state = isOfThisMove ? given.state : undefined
  const options = { ...given, state }
  const found = await findAsset(call, assetId, signal)
  if (found === undefined) {
    const copy = state === undefined ? await copyOfBinned(ports, options) : copyOf(state)
    if (copy !== undefined) return await endDeleted(ports, copy, options)
  }
  const asset = found ?? (await readAsset(call, assetId, signal))
  if (asset.albumId === album) return assetId
  if (provenanceOf(asset) === '') throw new AssetUnsigned()
  if (isRetained(asset, ports.clock.now())) throw new AssetMoveError('retained')
  const copy = await copied(ports, asset, options)
  await addThumbnail(ports, { asset, copy }, options)
  const movedId = await verifiedCopy(ports, copy, options)
  await requireUnchanged(ports, await readAsset(call, assetId, signal), copy)
  await deleteUnchanged(ports, { assetId, copy }, signal)
  return movedId
}

/** Goes on with the copy of an earlier call, unless the file has another name since: then that copy goes. */
async function copied(ports: MovePorts, asset: AssetFacts, options: MoveAsset): Promise<Copy> {
  const { state, album } = options
  if (state?.provenanceHash === provenanceOf(asset)) return await copyOn(ports, asset, { ...options, state })
  const provenanceHash = asset.envelope.prior_provenance_hash
  if (state !== undefined) await endCopy(ports, copyOf(state).assetId)
  else if (provenanceHash) await endCopy(ports, copyFrom(ports, asset, { album, turn: 0, provenanceHash }).assetId)
  return await copyAnew(ports, asset, options)
}

/**
 * An earlier call has deleted it: not before its copy was verified, which is cheap to ask again. If another client has
 * changed it and then deleted it, it stays in the bin.
 */
async function endDeleted(ports: MovePorts, copy: Copy, options: MoveAsset): Promise<AssetId> {
  const { assetId, signal } = options
  const copied = await verifiedCopy(ports, copy, options)
  const binned = await findBinned(ports, assetId, signal)
  if (binned !== undefined && provenanceOf(binned) === copy.provenanceHash)
    await ports.call('endBinEntry', { path: { bin_id: assetId } })
  return copied
}

/** Without a state. Undefined if the file is not in the bin, or no copy of it in the album. */
async function copyOfBinned(ports: MovePorts, { assetId, album, signal }: MoveAsset): Promise<Copy | undefined> {
  const asset = await findBinned(ports, assetId, signal)
  if (asset === undefined || provenanceOf(asset) === '') return undefined
  for (let turn = 0; turn < MAX_TRIES; turn++) {
    const copy = copyFrom(ports, asset, { album, turn })
    if ((await findAsset(ports.call, copy.assetId, signal))?.complete === true) return copy
  }
  return undefined
}

async function findBinned(
  { bin }: MovePorts,
  assetId: AssetId,
  signal: AbortSignal | undefined,
): Promise<AssetFacts | undefined> {
  for await (const page of bin({ order: 'newest', signal })) {
    const asset = page.find(({ id }) => id === assetId)?.asset
    if (asset !== undefined) return asset
  }
  return undefined
}

/** The server compares once more: another client may have changed it since it was read. */
async function deleteUnchanged(
  ports: MovePorts,
  { assetId, copy }: { readonly assetId: AssetId; readonly copy: Copy },
  signal: AbortSignal | undefined,
): Promise<void> {
  const { call } = ports
  try {
    await deleteForGood(call, assetId, { ifProvenance: copy.provenanceHash, signal })
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'error.manifest.stale')
      await requireUnchanged(ports, await readAsset(call, assetId, signal), copy)
    throw error
  }
}

interface Deletion {
  readonly ifProvenance?: string
  readonly signal?: AbortSignal | undefined
}

/** Without a place in the bin, where it would use the quota beside its copy. */
async function deleteForGood(call: Call, assetId: AssetId, { ifProvenance, signal }: Deletion = {}): Promise<void> {
  const query = ifProvenance === undefined ? {} : { if_provenance: ifProvenance }
  await call('deleteAsset', { path: { asset_id: assetId }, query, signal })
  await call('endBinEntry', { path: { bin_id: assetId } })
}

type MovePorts = AssetPorts & Pick<OwnerBin, 'bin'> & { readonly thumbnails: OwnerThumbnails }

interface Copy {
  readonly assetId: AssetId
  /** The manifest of the file that was copied. */
  readonly provenanceHash: string
  /** Of the sealed original, if this call or one before has noted it. */
  readonly hash?: Sha256Hex | undefined
}

const copyOf = ({ provenanceHash, copy: { envelope } }: AssetMoveState): Copy => ({
  assetId: envelope.file_id,
  provenanceHash,
  hash: envelope.ciphertext_hash,
})

/** Without a state. The id of the copy follows from the file: any client finds what an earlier call has left. */
async function copyAnew(ports: MovePorts, asset: AssetFacts, options: MoveAsset): Promise<Copy> {
  const { call } = ports
  const { device, onProgress, signal } = options
  let turn = 0
  for (let tries = 1; ; tries++) {
    const copy = copyFrom(ports, asset, { album: options.album, turn })
    const there = await findAsset(call, copy.assetId, signal)
    if (there?.complete === true) return copy
    if (there !== undefined) {
      // Its key would be a guest’s, and its owner has not looked at it.
      if (there.drop !== undefined)
        throw new AssetError('asset_differs', 'the server states that a copy was made of a drop')
      await (await openIncomplete(ports, there, signal)).complete({ device, onProgress, signal })
      return copy
    }
    // What an earlier call has sent of it was sealed with another salt.
    await cancelOpenUploads(ports, copy.assetId, { signal })
    try {
      return await copyOn(ports, asset, { ...options, state: await begin(ports, asset, { ...options, ...copy }) })
    } catch (error) {
      const isTaken = error instanceof SendError && error.reason === 'asset_taken'
      if (!isTaken || tries === MAX_TRIES) throw error
      // A request of an earlier call, or of another client, may have come in between.
      if (!(await isComing(ports, copy.assetId, signal))) turn += 1
    }
  }
}

interface CopyTo {
  readonly album: AlbumId
  readonly turn: number
  /** The manifest of the file that is copied; by default the present one. */
  readonly provenanceHash?: string
}

function copyFrom(
  { accountKey }: AssetPorts,
  asset: AssetFacts,
  { album, turn, provenanceHash = provenanceOf(asset) }: CopyTo,
): Copy {
  const bytes = movedAssetId(accountKey, {
    assetId: uuidBytes(asset.assetId),
    albumId: uuidBytes(album),
    provenanceHash: fromHex(provenanceHash),
    turn,
  })
  return { assetId: newId({ randomBytes: () => bytes }, parseAssetId), provenanceHash }
}

/** Otherwise the id belongs to a copy that was deleted. */
async function isComing(ports: AssetPorts, assetId: AssetId, signal: AbortSignal | undefined): Promise<boolean> {
  const there = await findAsset(ports.call, assetId, signal)
  return there !== undefined || (await unclosedUploads(ports, assetId, signal)).length > 0
}

/** Reads and verifies the whole file, and seals it once for its hash. Sends nothing. */
async function begin(
  ports: AssetPorts,
  asset: AssetFacts,
  { assetId, provenanceHash, ...options }: MoveAsset & Copy,
): Promise<AssetMoveState> {
  const { album, device, onState, onProgress, signal } = options
  const open = opening(ports, asset, options)
  const opened = await open()
  const source = storedFile(open, opened.size, opened)
  const preparing = prepareUpload(ports, { ...opened, source, album, assetId, device, onProgress, signal })
  const upload = await preparing.finally(source.close)
  const state = { version: 1, assetId: asset.assetId, provenanceHash, copy: upload }
  await onState?.(state)
  return state
}

/** Sends what is missing of the copy. */
async function copyOn(
  ports: MovePorts,
  asset: AssetFacts,
  { state, ...options }: MoveAsset & { readonly state: AssetMoveState },
): Promise<Copy> {
  const { onState, onProgress, signal } = options
  const copy = copyOf(state)
  const source = storedFile(opening(ports, asset, options), state.copy.original.header.size)
  try {
    await finishUpload(ports, {
      state: state.copy,
      source,
      onState: (changed) => onState?.({ ...state, copy: changed }),
      onProgress,
      signal,
    })
    return copy
  } catch (error) {
    // The server has released the blobs of a former manifest.
    if (error instanceof ProblemError && error.code === 'error.blob.not_found')
      await requireUnchanged(ports, await readAsset(ports.call, asset.assetId, signal), copy)
    throw error
  } finally {
    await source.close()
  }
}

async function addThumbnail(
  { call, thumbnails }: MovePorts,
  { asset, copy }: { readonly asset: AssetFacts; readonly copy: Copy },
  { device, signal, allowRevokedDevice }: MoveAsset,
): Promise<void> {
  const picture = await thumbnails.readThumbnail(asset, { allowRevokedDevice, signal })
  if (picture === undefined) return
  const { assetId } = copy
  const originalHash = copy.hash ?? blobOf(await readAsset(call, assetId, signal), 'original')?.hash
  if (originalHash !== undefined) await thumbnails.addThumbnail({ assetId, originalHash }, picture, { device, signal })
}

function opening(
  ports: AssetPorts,
  asset: AssetFacts,
  { allowRevokedDevice, signal }: Pick<MoveAsset, 'allowRevokedDevice' | 'signal'>,
) {
  return () => openAsset(ports, asset, { allowRevokedDevice, signal })
}

/** Otherwise the copy goes. */
async function requireUnchanged(ports: AssetPorts, asset: AssetFacts, copy: Copy): Promise<void> {
  if (provenanceOf(asset) === copy.provenanceHash) return
  await endCopy(ports, copy.assetId)
  throw new AssetMoveError('changed')
}

/** Unless another client has changed it, or has it retained. */
async function endCopy(ports: AssetPorts, assetId: AssetId): Promise<void> {
  await cancelOpenUploads(ports, assetId)
  const copy = await findAsset(ports.call, assetId)
  if (copy?.envelope.action === 'create' && !isRetained(copy, ports.clock.now()))
    await deleteForGood(ports.call, assetId)
}

/** Deeply; if the hash is known, of exactly the bytes that a client of the account has sealed. */
async function verifiedCopy(ports: AssetPorts, { assetId, hash }: Copy, options: MoveAsset): Promise<AssetId> {
  const { pinned, signal } = options
  const { answers } = await verifyHeld(ports, { assetIds: [assetId], pinned, signal })
  const [answer] = answers
  if (answer?.held !== true) throw new AssetMoveError('not_verified', answer?.doubts)
  if (answer.hashes.original !== (hash ?? answer.hashes.original)) throw new AssetMoveError('not_verified')
  return assetId
}

/** Empty for an asset that no device has signed. */
function provenanceOf(asset: AssetFacts): string {
  return blobOf(asset, 'provenance')?.hash ?? ''
}

function isRetained({ retainedUntil }: AssetFacts, now: Instant): boolean {
  return (parseInstant(retainedUntil ?? '') ?? now) > now
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

/** Copies of one file that were deleted, or begun by others meanwhile. */
const MAX_TRIES = 4
/** At most so much of a file is in memory while it is read past. */
const SKIPPED_BYTES = 1024 * 1024
