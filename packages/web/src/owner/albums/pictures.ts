/** Thumbnails are made where a picture is open anyway: when its owner uploads it, and when they look at it. */
import type { Device } from '@blindkeep/client/device'
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import { imageTypeOf, MAX_IMAGE_BYTES } from '../../common/previewContent.ts'
import { makeThumbnail } from '../../common/thumbnail.ts'

/** Enough of a file to see which kind of picture it is. */
const BEGINNING_BYTES = 64

interface PictureOf {
  readonly owner: Owner
  readonly assetId: string
  readonly device?: Device | undefined
  readonly file: Blob
}

/** An asset is whole without a thumbnail, so that whatever fails here fails nothing. */
export async function addThumbnail({ owner, assetId, device, file }: PictureOf): Promise<void> {
  try {
    const beginning = new Uint8Array(await file.slice(0, BEGINNING_BYTES).arrayBuffer())
    if (imageTypeOf(beginning) === undefined || file.size > MAX_IMAGE_BYTES) return
    const thumbnail = await makeThumbnail(new Uint8Array(await file.arrayBuffer()))
    if (thumbnail === undefined) return
    await owner.addThumbnail(assetId, thumbnail, { device })
  } catch {
    // An icon stands in its place; the next look at the picture tries again.
  }
}

export function hasThumbnail({ blobs }: AssetFacts): boolean {
  return blobs.some(({ role }) => role === 'derivative')
}

/** The same stream. Of a picture that is read to its end, and so has passed every check, it makes the thumbnail that is missing. */
export function thumbnailing(
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
