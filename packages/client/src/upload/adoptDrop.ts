import { type AlbumId, type AssetId, parseAssetId, parseInstant } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { AssetError } from '../assets/assetError.ts'
import { type AssetFacts, blobOf, findAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { DropError } from '../drops/dropError.ts'
import type { DescribedDrop, DropFacts } from '../drops/inboxDrop.ts'
import { AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { isSameFile } from '../seal/fileHeader.ts'
import { newId } from '../seal/newId.ts'
import { chooseDrop } from './chosenOriginal.ts'
import { type CompleteAsset, type Completed, completeShown } from './completeAsset.ts'
import { roleBlobOf, sendBundle } from './sendBundle.ts'
import { type ShownAsset, showAsset } from './shownAsset.ts'
import { signBundle } from './signBundle.ts'

/** These waits are longer than the server's claim, which lasts a minute. */
const MAX_TRIES = 8
const BACKOFF_MS = { first: 500, max: 30_000 }

export interface AdoptDrop extends CompleteAsset {
  readonly album: AlbumId
  /** Made and stored by the caller, so that the same call continues after a crash. New by default. */
  readonly assetId?: AssetId | undefined
  /** No earlier call had this `assetId`: the client need not ask first, because the answer would be 404. */
  readonly isFirstTry?: boolean | undefined
  /** RFC 3339, by the server's clock: the file cannot be deleted before. Signed, so stored like `assetId`. */
  readonly retainUntil?: string | undefined
}

/** For callers that store the id of an asset before the asset exists. */
export function newAssetId({ environment }: Pick<AssetPorts, 'environment'>): AssetId {
  return newId(environment, parseAssetId)
}

/**
 * Turns a drop into an asset of an album: its bytes stay where they are, its key is wrapped under the album, and its
 * name, type, note and sender become the asset's metadata. What the device signs is the drop as the inbox showed it.
 * Reads the header of the drop, not its content. Resolves when the asset is complete. When an answer is lost, asks for
 * the asset; when a crashed attempt holds the drop, waits for the end of its lease, up to a minute. Throws `SealError`
 * for a drop that does not open, `DropError` when its file is not the one that the inbox showed, `AssetError` when an
 * asset with this id was made of the drop otherwise, `ProblemError` (`error.drop.not_found` when it was adopted
 * otherwise or discarded), `SendError`, and what a call throws.
 */
export async function adoptDrop(ports: AssetPorts, drop: DescribedDrop, options: AdoptDrop): Promise<Completed> {
  const { call, environment } = ports
  const { album, device, retainUntil, signal } = options
  if (options.assetId !== undefined && options.isFirstTry !== true) {
    const found = await findAsset(call, options.assetId, signal)
    if (found?.drop?.dropId === drop.dropId)
      return completeShown(ports, await showAdopted(ports, { drop, album, retainUntil, found, signal }), options)
  }
  const assetId = options.assetId ?? newAssetId(ports)
  const original = await chooseDrop(ports, drop, { assetId, albumId: album, signal })
  const { envelope, metadata, provenance } = await signBundle(ports, { original, device, retainUntil })
  await claim(ports, drop, { envelope, assetId, album, signal })
  const blobs = [roleBlobOf('metadata', metadata), roleBlobOf('provenance', provenance)]
  const uploads = await sendBundle({ ...options, call, envelope, blobs, environment })
  return { assetId, albumId: album, uploads }
}

interface Adopted extends Pick<AdoptDrop, 'album' | 'retainUntil'> {
  readonly drop: DescribedDrop
  /** What the server says of the asset. */
  readonly found: AssetFacts
  readonly signal: AbortSignal | undefined
}

/** An earlier attempt adopted the drop. The asset must be the chosen drop in the chosen album. */
async function showAdopted(
  ports: AssetPorts,
  { drop, album, retainUntil, found, signal }: Adopted,
): Promise<ShownAsset> {
  const original = blobOf(found, 'original')
  const isOfDrop = found.drop?.opaqueId === drop.opaqueId && found.drop.kemCt === drop.kemCt
  if (!isOfDrop || original?.hash !== drop.ciphertextHash || original.size !== drop.sealedBytes)
    throw new AssetError(
      'asset_differs',
      'the server states that the asset was made of another drop than the chosen one',
    )
  if (found.albumId !== album)
    throw new AssetError('asset_differs', 'the server states another album than the chosen one')
  if (!isSameInstant(found.envelope.retention_until ?? undefined, retainUntil))
    throw new AssetError('asset_differs', 'the server states another retention than the chosen one')
  const shown = await showAsset(ports, found, signal)
  if (!isSameFile(drop.file, shown.file)) throw new DropError()
  return shown
}

function isSameInstant(one: string | undefined, other: string | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && parseInstant(one) === parseInstant(other))
}

interface Claim {
  readonly envelope: ManifestEnvelope
  readonly assetId: AssetId
  readonly album: AlbumId
  readonly signal: AbortSignal | undefined
}

/**
 * Repeats the same request, which joins an attempt in progress, until the asset exists or the server refuses. A crashed
 * attempt made another request and holds the drop until its lease ends: as long as the inbox lists the drop, the
 * refusal is temporary (specification, Adopt).
 */
async function claim(ports: AssetPorts, drop: DropFacts, { envelope, assetId, album, signal }: Claim): Promise<void> {
  const { call } = ports
  const ask = () =>
    call('adoptDrop', {
      path: { drop_id: drop.dropId },
      body: {
        album_id: album,
        asset_id: assetId,
        size: drop.sealedBytes,
        hash: envelope.ciphertext_hash,
        content_type: 'application/octet-stream',
        crypto_suite_id: envelope.crypto_suite_id,
        protocol_version: envelope.protocol_version,
        key_mode: envelope.key_mode,
        manifest_envelope: envelope,
      },
      signal,
    })
  for (let tries = 1; ; tries++) {
    try {
      await ask()
      return
    } catch (error) {
      if (!isInconclusive(error)) throw error
      // Asks the inbox first: a drop that leaves it between the two requests is found as an asset.
      const isWaiting = !isRefusal(error) || (await isListed(ports, drop, signal))
      if (await hasBeenAdopted(ports, drop, { assetId, signal })) return
      if (!isWaiting || tries === MAX_TRIES) throw error
    }
    await ports.environment.wait(Math.min(BACKOFF_MS.max, BACKOFF_MS.first * 2 ** (tries - 1)), signal)
  }
}

/** The answer of this or an earlier attempt may have been lost, and that attempt has adopted the drop. */
function isInconclusive(error: unknown): boolean {
  if (error instanceof ProblemError) return error.code === 'error.drop.not_found' || error.status >= 500
  return error instanceof NetworkError || error instanceof AnswerError
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && error.status < 500
}

function isListed({ call }: AssetPorts, { dropId }: DropFacts, signal: AbortSignal | undefined): Promise<boolean> {
  return orWhenUnreachable(true, async () => {
    const { body } = await call('inbox', { signal })
    return body.drops.some(({ drop_id }) => drop_id === dropId)
  })
}

function hasBeenAdopted(
  { call }: AssetPorts,
  drop: DropFacts,
  { assetId, signal }: Pick<Claim, 'assetId' | 'signal'>,
): Promise<boolean> {
  return orWhenUnreachable(false, async () => isAdopted(await findAsset(call, assetId, signal), drop))
}

/** `otherwise` when the server does not answer. */
async function orWhenUnreachable(otherwise: boolean, ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof NetworkError || (error instanceof ProblemError && error.status >= 500)) return otherwise
    throw error
  }
}

function isAdopted(asset: AssetFacts | undefined, drop: DropFacts): boolean {
  return (
    asset?.drop !== undefined &&
    asset.drop.dropId === drop.dropId &&
    blobOf(asset, 'original')?.hash === drop.ciphertextHash
  )
}
