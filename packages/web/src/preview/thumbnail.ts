/** Outside the sandbox, pages decode only what `thumbnailTypeOf` accepts (decisions/thumbnails.md). */
import { MAX_THUMBNAIL_BYTES } from '@blindkeep/client/owner'
import { imageTypeOf } from './fileKind.ts'
import { pixelsOf } from './imagePixels.ts'
import { readForPreview } from './previewContent.ts'
import { drawThumbnail } from './previewFrame.ts'
import type { ImageType } from './previewMessages.ts'

const EDGE_PIXELS = 256
const TYPES: ReadonlySet<ImageType> = new Set(['image/webp', 'image/png', 'image/jpeg'])

/**
 * A WebP or PNG with at most 256 pixels a side, created in the sandbox: of a document its first page, of a film a
 * picture from its beginning. Undefined for a file that has none, is too large or cannot be decoded here, and when the
 * sandbox answers with something else. Rejects only with the error of the stream.
 */
export async function makeThumbnail(file: ReadableStream<Uint8Array>): Promise<Uint8Array | undefined> {
  const content = await readForPreview(file)
  if (content.kind === 'none' || content.kind === 'text') return undefined
  const drawn = await drawThumbnail({ of: content, edge: EDGE_PIXELS })
  // The file may have taken over its sandbox, so the answer is checked.
  return drawn !== undefined && thumbnailTypeOf(drawn) !== undefined ? drawn : undefined
}

/**
 * The type of a valid thumbnail: WebP, PNG or JPEG, at most 64 KiB, with at most as many pixels in its header as a
 * square of 256. Undefined for anything else, whether it comes from a sandbox that was taken over or from a
 * malicious server.
 */
export function thumbnailTypeOf(bytes: Uint8Array<ArrayBuffer>): ImageType | undefined {
  const type = imageTypeOf(bytes)
  if (type === undefined || !TYPES.has(type) || bytes.length > MAX_THUMBNAIL_BYTES) return undefined
  const pixels = pixelsOf(type, bytes)
  return pixels !== undefined && pixels <= EDGE_PIXELS ** 2 ? type : undefined
}
