/**
 * Thumbnails are made of what is open already: when the owner uploads a picture, and when the owner views a file. Of
 * closed files only when the owner asks for them (thumbnailsOfAlbum.tsx), or has asked for them always
 * (`isMadeWhenKept`).
 */
import type { Device } from '@blindkeep/client/device'
import type { AssetFacts, Owner, PictureOf } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { kindOf, SNIFFED_BYTES } from '../../preview/fileKind.ts'
import { mayHaveThumbnail } from '../../preview/mayHavePreview.ts'
import { MAX_IMAGE_BYTES } from '../../preview/previewContent.ts'
import { makeThumbnail } from '../../preview/thumbnail.ts'
import { type ShownAsset, showAsset } from './shownAsset.ts'

interface Picture {
  readonly owner: Owner
  /** The file that the picture shows, as this browser has sealed or opened it. */
  readonly of: PictureOf
  readonly device?: Device | undefined
  readonly file: Blob
}

/** Ignores every failure: an asset is complete without a thumbnail. */
export async function addThumbnail({ owner, of, device, file }: Picture): Promise<void> {
  try {
    if (file.size > MAX_IMAGE_BYTES) return
    const thumbnail = await makeThumbnail(file.stream())
    if (thumbnail !== undefined) await owner.addThumbnail(of, thumbnail, { device })
  } catch {
    // The tile shows an icon; the next view of the picture tries again.
  }
}

/** The same for a file that its owner did not open: a decoder is loaded only for who wants thumbnails always. */
export async function addThumbnailOfUpload(picture: Picture): Promise<void> {
  const beginning = await picture.file
    .slice(0, SNIFFED_BYTES)
    .arrayBuffer()
    .catch(() => new ArrayBuffer())
  if (isMadeWhenKept() || kindOf(new Uint8Array(beginning))?.kind === 'image') await addThumbnail(picture)
}

export function hasThumbnail({ blobs }: AssetFacts): boolean {
  return blobs.some(({ role }) => role === 'derivative')
}

/** Tried by this page: they are not offered again. */
const withoutThumbnail = new Set<AssetId>()

export const getsNoThumbnail = (assetId: AssetId) => withoutThumbnail.has(assetId)

/**
 * Opens a kept file, draws it and adds its thumbnail. Resolves with false for a file that gets none: it has one, is of
 * another kind, cannot be drawn here, or no live device has signed it. Throws what a call throws.
 */
export async function makeThumbnailOf(owner: Owner, assetId: AssetId, signal: AbortSignal): Promise<boolean> {
  const isMade = await tryThumbnailOf(owner, assetId, signal)
  signal.throwIfAborted()
  if (!isMade) withoutThumbnail.add(assetId)
  return isMade
}

async function tryThumbnailOf(owner: Owner, assetId: AssetId, signal: AbortSignal): Promise<boolean> {
  const asset = await owner.asset(assetId)
  if (!asset.complete || hasThumbnail(asset)) return false
  const { trust, description } = await showAsset(owner, asset, signal)
  if (trust.kind !== 'signed' || description === undefined || !mayHaveThumbnail(description)) return false
  const { content } = await owner.openAsset(asset, { signal })
  const thumbnail = await makeThumbnail(content)
  if (thumbnail === undefined || signal.aborted) return false
  await owner.addThumbnail({ assetId, originalHash: asset.envelope.ciphertext_hash }, thumbnail, { signal })
  return true
}

/**
 * Returns the same content. If it is read to its end, and so has passed every check, a missing thumbnail is made, for
 * an asset that a live device has signed.
 */
export function withThumbnail(
  content: ReadableStream<Uint8Array>,
  { owner, shown }: { readonly owner: Owner; readonly shown: ShownAsset },
): ReadableStream<Uint8Array> {
  const { asset, trust, description } = shown
  if (trust.kind !== 'signed' || hasThumbnail(asset) || (description?.size ?? 0) > MAX_IMAGE_BYTES) return content
  const of = { assetId: asset.assetId, originalHash: asset.envelope.ciphertext_hash }
  const pieces: Uint8Array<ArrayBuffer>[] = []
  return content.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        pieces.push(Uint8Array.from(piece))
        controller.enqueue(piece)
      },
      flush() {
        void addThumbnail({ owner, of, file: new Blob(pieces) })
      },
    }),
  )
}

/** In `localStorage`, of this browser: which files are drawn unasked is a matter of this device. */
const SETTING = 'blindkeep.thumbnails'
const ON = 'when kept'

/** Whether the owner wants thumbnails of every file that is kept. Not unless the owner has said so. */
export function isMadeWhenKept(): boolean {
  try {
    return localStorage.getItem(SETTING) === ON
  } catch {
    return false
  }
}

/** Throws where the browser stores nothing. */
export function makeWhenKept(isWanted: boolean): void {
  if (isWanted) localStorage.setItem(SETTING, ON)
  else localStorage.removeItem(SETTING)
}
