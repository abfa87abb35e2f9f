/** An unfinished asset, opened by this client, so that its owner can see the file before a device signs it. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { SEGMENT_PLAINTEXT_BYTES } from '@blindkeep/protocol/suites'
import { AssetError, AssetIncomplete } from '../assets/assetError.ts'
import { type AssetBlob, type AssetFacts, blobOf } from '../assets/assetFacts.ts'
import { AMK_VERSION } from '../assets/assetKeys.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { downloadBlob, readBlobStart } from '../assets/readBlob.ts'
import { originalContext, unsignedKeyOf } from '../assets/vouchedAsset.ts'
import { descriptionOf, type FileDescription, isSameFile } from '../seal/fileHeader.ts'
import { openHashedBlob } from '../seal/hashedBlob.ts'
import type { OpenedBlob } from '../seal/open.ts'
import { type OpenedPrefix, openPrefix, readPrefix } from '../seal/openHeader.ts'
import { SealError } from '../seal/sealError.ts'
import { plaintextSizeOf } from '../seal/sealedBlob.ts'
import type { UploadProgress } from './sendBundle.ts'

export interface ShownAsset {
  /** The server's facts when the file was opened. Every later answer must agree with them (`requireAsShown`). */
  readonly asset: AssetFacts
  readonly original: AssetBlob
  /** K, 32 bytes. */
  readonly key: Bytes
  readonly keyMode: ManifestEnvelope['key_mode']
  /** From the header of the original. */
  readonly file: FileDescription
  /** Plaintext bytes in the data segments of the original. */
  readonly plaintextSize: number
}

/**
 * Opens the header of an unsigned asset's original. Throws `AssetIncomplete` for an asset that only the device that
 * began it can finish, `AssetError` for facts that contradict each other, `SealError`, and what a call throws.
 */
export async function showAsset(ports: AssetPorts, asset: AssetFacts, signal?: AbortSignal): Promise<ShownAsset> {
  const original = blobOf(asset, 'original')
  if (original === undefined) throw new AssetIncomplete(['original'], 'Finish its upload on the device that began it.')
  const keyMode = requireCompletable(asset)
  const key = unsignedKeyOf(ports, asset)
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash: original.hash, count, signal }))
  const opened = await openPrefix(prefix, originalContext(asset, key))
  const plaintextSize = requirePlaintextSize(opened, original.size, prefix.length)
  if (plaintextSize !== asset.envelope.plaintext_size)
    throw new AssetError('envelope_differs', 'the server states a plaintext_size that the original cannot have')
  return { asset, original, key, keyMode, file: descriptionOf(opened.header), plaintextSize }
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
  // A derived key proves its epoch, because it opens the original. A drop has its key from its sender.
  if (keyMode === 'wrapped' && envelope.amk_version !== AMK_VERSION)
    throw new AssetError(
      'envelope_differs',
      'the server states an epoch of the album key that no client of the account uses',
    )
  return keyMode
}

/** Plaintext bytes in a blob's segments, at least `header.size`. Throws `SealError` for an impossible size. */
export function requirePlaintextSize(
  { header }: Pick<OpenedPrefix, 'header'>,
  sealedSize: number,
  bytesBefore: number,
): number {
  const plaintextSize = plaintextSizeOf(sealedSize, bytesBefore)
  if (plaintextSize === undefined) throw new SealError('truncated', 'no sealed blob has this size')
  if (plaintextSize < header.size)
    throw new SealError('size_beyond_plaintext', 'the header states more bytes than the blob has')
  return plaintextSize
}

/** Throws `AssetError` when the server's answer is about another original, drop or album than the one shown. */
export function requireAsShown({ asset: shown }: ShownAsset, now: AssetFacts): void {
  const before = signable(shown)
  const differing = Object.entries(signable(now)).find(([name, value]) => before[name] !== value)
  if (differing !== undefined)
    throw new AssetError(
      'asset_differs',
      `the server states another ${differing[0]} of the asset than when it was shown`,
    )
}

/** Everything in the server's facts that a signature depends on. */
function signable(asset: AssetFacts): Readonly<Record<string, unknown>> {
  const { assetId, albumId, envelope, drop } = asset
  const original = blobOf(asset, 'original')
  return {
    id: assetId,
    album: albumId,
    'hash of the original': original?.hash,
    'size of the original': original?.size,
    drop: drop?.dropId,
    link: drop?.opaqueId,
    'encapsulated key': drop?.kemCt,
    action: envelope.action,
    key_mode: envelope.key_mode,
    amk_version: envelope.amk_version,
    plaintext_size: envelope.plaintext_size,
    retention_until: envelope.retention_until ?? undefined,
  }
}

/** The file that was shown, and no other. Its content fails like that of `openAsset`. */
export async function openShown(
  ports: AssetPorts,
  { asset, original, key, file }: ShownAsset,
  signal?: AbortSignal,
): Promise<OpenedBlob> {
  const opened = await openHashedBlob({
    stream: await downloadBlob(ports, { hash: original.hash, signal }),
    opener: originalContext(asset, key),
    hash: ports.environment.createHash(),
    expectedHash: original.hash,
    expectedSize: original.size,
    differenceError: () =>
      new AssetError('hash_differs', 'the server’s bytes for this asset are not the ones that it names'),
    onWhole: (prefix) => ports.prefixes.note(original.hash, prefix),
  })
  if (isSameFile(file, descriptionOf(opened.header))) return opened
  await opened.content.cancel()
  throw new AssetError('asset_differs', 'the server’s file is not the one that was shown')
}

export interface ReadThrough {
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Reads the whole file, with flat memory. Throws `SealError` or `AssetError` unless it is what was shown. */
export async function readThrough(
  ports: AssetPorts,
  shown: ShownAsset,
  { onProgress, signal }: ReadThrough,
): Promise<void> {
  const { content } = await openShown(ports, shown, signal)
  const of = shown.file.size
  let bytes = 0
  const counting = new WritableStream<Bytes>({
    write: (piece) => {
      bytes += piece.length
      onProgress?.({ phase: 'preparing', bytes, of })
    },
  })
  await content.pipeTo(counting, signal === undefined ? {} : { signal })
}
