/** Thumbnails are made when a picture is open already: when the owner uploads it, and when the owner views it. */
import type { Device } from '@blindkeep/client/device'
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import { imageTypeOf, MAX_IMAGE_BYTES } from '../../common/previewContent.ts'
import { makeThumbnail } from '../../common/thumbnail.ts'

/** Enough to detect the type of a picture. */
const BEGINNING_BYTES = 64

interface PictureOf {
  readonly owner: Owner
  readonly assetId: string
  readonly device?: Device | undefined
  readonly file: Blob
}

/** Ignores every failure: an asset is complete without a thumbnail. */
export async function addThumbnail({ owner, assetId, device, file }: PictureOf): Promise<void> {
  try {
    const beginning = new Uint8Array(await file.slice(0, BEGINNING_BYTES).arrayBuffer())
    if (imageTypeOf(beginning) === undefined || file.size > MAX_IMAGE_BYTES) return
    const thumbnail = await makeThumbnail(new Uint8Array(await file.arrayBuffer()))
    if (thumbnail === undefined) return
    await owner.addThumbnail(assetId, thumbnail, { device })
  } catch {
    // The tile shows an icon; the next view of the picture tries again.
  }
}

export function hasThumbnail({ blobs }: AssetFacts): boolean {
  return blobs.some(({ role }) => role === 'derivative')
}

/** Returns the same content. If it is read to its end, and so has passed every check, a missing thumbnail is made. */
export function withThumbnail(
  content: ReadableStream<Uint8Array>,
  { owner, asset }: { readonly owner: Owner; readonly asset: AssetFacts },
): ReadableStream<Uint8Array> {
  if (hasThumbnail(asset) || asset.envelope.plaintext_size > MAX_IMAGE_BYTES) return content
  const pieces: Uint8Array<ArrayBuffer>[] = []
  return content.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        pieces.push(Uint8Array.from(piece))
        controller.enqueue(piece)
      },
      flush() {
        void addThumbnail({ owner, assetId: asset.assetId, file: new Blob(pieces) })
      },
    }),
  )
}
