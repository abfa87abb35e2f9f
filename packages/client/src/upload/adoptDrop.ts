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

/** A claim of the server's lasts a minute, so whoever waits as long as this has waited it out. */
const MAX_TRIES = 8
const BACKOFF_MS = { first: 500, max: 30_000 }

export interface AdoptDrop extends CompleteAsset {
  readonly album: AlbumId
  /** An id that the caller has made and kept, so that after a crash the same call goes on, though the drop has left the inbox. A new one when left out. */
  readonly assetId?: AssetId | undefined
}

/** An item of the inbox: what was shown of it is what is adopted. */
export type DropToAdopt = DropFacts & { readonly file?: FileDescription | undefined }

/** For callers who keep the id of an asset before there is one. */
export function newAssetId({ environment }: Pick<AssetPorts, 'environment'>): AssetId {
  return newId(environment, parseAssetId)
}

/**
 * Makes a drop an asset of an album: its bytes stay where they are, its key is wrapped under the album, and its name, type, note and sender become the
 * asset's metadata. Reads the drop's header and not its content. Resolves when the asset is complete. A lost answer is found out by asking for the asset,
 * and a claim that a crash has left is waited out, which takes the minute of the server's lease.
 * Throws `SealError` for a drop that does not open, `DropError` for one that says another thing of its file than the inbox has shown, `ProblemError`
 * (`error.drop.not_found` when it was adopted otherwise, or discarded), `SendError`, `AssetError` and what a call throws.
 */
export async function adoptDrop(ports: AssetPorts, drop: DropToAdopt, options: AdoptDrop): Promise<Completed> {
  const { call, keysOf, environment, accountKey } = ports
  const { album, device, signal } = options
  const assetId = options.assetId ?? newAssetId(ports)
  if (options.assetId !== undefined && isAdopted(await findAsset(call, assetId, signal), drop))
    return completeAsset(ports, assetId, options)
  const opened = await openDropPrefix(ports, drop, signal)
  const file = descriptionOf(opened.header)
  // Whoever has sent a drop can seal another beginning under its key, and a server that is theirs can give that one out now.
  if (drop.file !== undefined && !isSameFile(drop.file, file)) throw new DropError()
  const key = recoverDropKey(keysOf(drop.opaqueId), fromBase64(drop.kemCt))
  const metadata = smallBlob(environment, await sealMetadata({ key, assetId }, file))
  const { envelope, provenance } = await signBundle(ports, {
    place: { accountKey, albumId: album, amkVersion: AMK_VERSION, assetId },
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
  if (hash === undefined) throw new RangeError('a drop’s hash is 64 lowercase hex characters')
  return hash
}

interface Claim {
  readonly envelope: ManifestEnvelope
  readonly assetId: AssetId
  readonly album: AlbumId
  readonly signal: AbortSignal | undefined
}

/**
 * Repeats exactly what was asked, which joins a try that is under way, until the asset is there or the server says no. A try whose process died was asked
 * otherwise, and holds the drop until its lease has run out: as long as the inbox lists the drop it is only not there yet (specification, Adopt).
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
      if (!isUnsure(error)) throw error
      // The inbox before the asset: what leaves the one in between is found in the other.
      const isWaiting = !isNo(error) || (await isListed(ports, drop, signal))
      if (await hasBeenAdopted(ports, drop, { assetId, signal })) return
      if (!isWaiting || tries === MAX_TRIES) throw error
    }
    await ports.environment.wait(Math.min(BACKOFF_MS.max, BACKOFF_MS.first * 2 ** (tries - 1)), signal)
  }
}

/** The answer may have been lost on an earlier try, which then has taken the drop out of the inbox; or this one’s was. */
function isUnsure(error: unknown): boolean {
  if (error instanceof ProblemError) return error.code === 'error.drop.not_found' || error.status >= 500
  return error instanceof NetworkError || error instanceof AnswerError
}

function isNo(error: unknown): boolean {
  return error instanceof ProblemError && error.status < 500
}

function isListed({ call }: AssetPorts, { dropId }: DropFacts, signal: AbortSignal | undefined): Promise<boolean> {
  return whereReached(true, async () => {
    const { body } = await call('inbox', { signal })
    return body.drops.some(({ drop_id }) => drop_id === dropId)
  })
}

function hasBeenAdopted(
  { call }: AssetPorts,
  drop: DropFacts,
  { assetId, signal }: Pick<Claim, 'assetId' | 'signal'>,
): Promise<boolean> {
  return whereReached(false, async () => isAdopted(await findAsset(call, assetId, signal), drop))
}

/** What to assume as long as the server does not tell. */
async function whereReached(otherwise: boolean, ask: () => Promise<boolean>): Promise<boolean> {
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
