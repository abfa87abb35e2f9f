/** Small pictures of pictures. Outside of the sandbox nothing is decoded but what passes for one here (decisions/thumbnails.md). */
import { MAX_THUMBNAIL_BYTES } from '@blindkeep/client/owner'
import { pixelsOf } from './imagePixels.ts'
import { imageTypeOf, notDecodable } from './previewContent.ts'
import { drawThumbnail } from './previewFrame.ts'
import type { ImageType } from './previewMessages.ts'

const EDGE_PIXELS = 256
const TYPES: ReadonlySet<ImageType> = new Set(['image/webp', 'image/png', 'image/jpeg'])

/**
 * A small picture of a picture, as WebP or PNG with at most 256 pixels a side, decoded in the sandbox. Undefined for what is no picture, is too large, or
 * cannot be decoded by this browser, and where what comes back is no thumbnail. Never throws for a file.
 */
export async function makeThumbnail(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | undefined> {
  const type = imageTypeOf(bytes)
  if (type === undefined || notDecodable(type, bytes) !== undefined) return undefined
  const drawn = await drawThumbnail({ type, bytes, edge: EDGE_PIXELS })
  // Whatever the picture has made of its sandbox speaks from there as well.
  return drawn !== undefined && thumbnailTypeOf(drawn) !== undefined ? drawn : undefined
}

/**
 * The type of what may be decoded as a thumbnail: WebP, PNG or JPEG, in 64 KiB at most, and by its own word no more pixels than a square of 256. Undefined
 * for anything else, wherever it comes from: a sandbox that was taken over, or a server.
 */
export function thumbnailTypeOf(bytes: Uint8Array<ArrayBuffer>): ImageType | undefined {
  const type = imageTypeOf(bytes)
  if (type === undefined || !TYPES.has(type) || bytes.length > MAX_THUMBNAIL_BYTES) return undefined
  const pixels = pixelsOf(type, bytes)
  return pixels !== undefined && pixels <= EDGE_PIXELS ** 2 ? type : undefined
}
