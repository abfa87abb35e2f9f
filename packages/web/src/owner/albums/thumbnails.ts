/** Thumbnails are made when a picture is open already: when the owner uploads it, and when the owner views it. */
import type { Device } from '@blindkeep/client/device'
import type { AssetFacts, Owner, PictureOf } from '@blindkeep/client/owner'
import { imageTypeOf, MAX_IMAGE_BYTES } from '../../preview/previewContent.ts'
import { makeThumbnail } from '../../preview/thumbnail.ts'
import type { ShownAsset } from './shownAsset.ts'

/** Enough to detect the type of a picture. */
const BEGINNING_BYTES = 64

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
    const beginning = new Uint8Array(await file.slice(0, BEGINNING_BYTES).arrayBuffer())
    if (imageTypeOf(beginning) === undefined || file.size > MAX_IMAGE_BYTES) return
    const thumbnail = await makeThumbnail(new Uint8Array(await file.arrayBuffer()))
    if (thumbnail === undefined) return
    await owner.addThumbnail(of, thumbnail, { device })
  } catch {
    // The tile shows an icon; the next view of the picture tries again.
  }
}

export function hasThumbnail({ blobs }: AssetFacts): boolean {
  return blobs.some(({ role }) => role === 'derivative')
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
