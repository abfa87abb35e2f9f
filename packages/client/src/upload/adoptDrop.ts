import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type AlbumId, type AssetId, parseAssetId, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { type AssetFacts, blobOf, findAsset } from '../assets/assetFacts.ts'
import { AMK_VERSION } from '../assets/assetKeys.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { sealMetadata } from '../assets/metadata.ts'
import { DropError } from '../drops/dropError.ts'
import { recoverDropKey } from '../drops/dropKeys.ts'
import { type DropFacts, openDropPrefix } from '../drops/inboxDrop.ts'
import { AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { descriptionOf, type FileDescription } from '../seal/fileHeader.ts'
import { newId } from '../seal/newId.ts'
import { type CompleteAsset, type Completed, completeAsset, requirePlaintextSize } from './completeAsset.ts'
import { roleBlobOf, sendBundle } from './sendBundle.ts'
import { signBundle, smallBlob } from './signBundle.ts'

/** These waits are longer than the server's claim, which lasts a minute. */
const MAX_TRIES = 8
const BACKOFF_MS = { first: 500, max: 30_000 }

export interface AdoptDrop extends CompleteAsset {
  readonly album: AlbumId
  /**
   * An id that the caller has made and stored, so that after a crash the same call continues although the drop has left the inbox. A new id by
   * default.
   */
  readonly assetId?: AssetId | undefined
}

/** An item of the inbox. The adopted file must be the one that was shown. */
export type DropToAdopt = DropFacts & { readonly file?: FileDescription | undefined }

/** For callers that store the id of an asset before the asset exists. */
export function newAssetId({ environment }: Pick<AssetPorts, 'environment'>): AssetId {
  return newId(environment, parseAssetId)
}

/**
 * Turns a drop into an asset of an album: its bytes stay where they are, its key is wrapped under the album, and its name, type, note and sender
 * become the asset's metadata. Reads the header of the drop, not its content. Resolves when the asset is complete. When an answer is lost, asks for
 * the asset; when a crashed attempt holds the drop, waits for the end of its lease, up to a minute.
 * Throws `SealError` for a drop that does not open, `DropError` when its file is not the one that the inbox showed, `ProblemError`
 * (`error.drop.not_found` when it was adopted otherwise or discarded), `SendError`, `AssetError`, and what a call throws.
 */
export async function adoptDrop(ports: AssetPorts, drop: DropToAdopt, options: AdoptDrop): Promise<Completed> {
  const { call, keysOf, environment, accountKey } = ports
  const { album, device, signal } = options
  const assetId = options.assetId ?? newAssetId(ports)
  if (options.assetId !== undefined && isAdopted(await findAsset(call, assetId, signal), drop))
    return completeAsset(ports, assetId, options)
  const opened = await openDropPrefix(ports, drop, signal)
  const file = descriptionOf(opened.header)
  // The sender of a drop can seal another header under its key, and a malicious server can return that one now.
  if (drop.file !== undefined && !isSameFile(drop.file, file)) throw new DropError()
  const key = recoverDropKey(keysOf(drop.opaqueId), fromBase64(drop.kemCt))
  const metadata = smallBlob(environment, await sealMetadata({ key, assetId }, file))
  const { envelope, provenance } = await signBundle(ports, {
    keyInputs: { accountKey, albumId: album, amkVersion: AMK_VERSION, assetId },
    key,
    keyMode: 'wrapped',
    originalHash: hashOf(drop),
    plaintextSize: requirePlaintextSize(opened, drop.sealedBytes, opened.bytesBefore),
    metadataHash: metadata.hash,
    device,
  })
  await claim(ports, drop, { envelope, assetId, album, signal })
  const blobs = [roleBlobOf('metadata', metadata), roleBlobOf('provenance', provenance)]
  const uploads = await sendBundle({ ...options, call, envelope, blobs, environment })
  return { assetId, albumId: album, uploads }
}

function isSameFile(shown: FileDescription, found: FileDescription): boolean {
  const { size, name, type, note, sender, modifiedAt } = shown
  const isSame = size === found.size && name === found.name && type === found.type && note === found.note
  return isSame && sender === found.sender && modifiedAt === found.modifiedAt
}

function hashOf({ ciphertextHash }: DropFacts): Sha256Hex {
  const hash = parseSha256Hex(ciphertextHash)
  if (hash === undefined) throw new RangeError('the hash of a drop must be 64 lowercase hex characters')
  return hash
}

interface Claim {
  readonly envelope: ManifestEnvelope
  readonly assetId: AssetId
  readonly album: AlbumId
  readonly signal: AbortSignal | undefined
}

/**
 * Repeats the same request, which joins an attempt in progress, until the asset exists or the server refuses. A crashed attempt made another request
 * and holds the drop until its lease ends: as long as the inbox lists the drop, the refusal is temporary (specification, Adopt).
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
