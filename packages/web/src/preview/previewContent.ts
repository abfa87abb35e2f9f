/** Decides from a stranger's bytes, never from the claimed name or type, what a preview can show. */

import { pixelsOf } from './imagePixels.ts'
import type { ImageType } from './previewMessages.ts'

/** Larger than the pictures of cameras, and small enough for every browser. */
export const MAX_IMAGE_BYTES = 50_000_000
/** A few kilobytes can decode to a picture that fills the memory: 100 million pixels take 400 MB. */
const MAX_IMAGE_PIXELS = 100_000_000
/** Of a longer text, the beginning is shown. */
export const MAX_TEXT_BYTES = 256 * 1024
/** A longer file is not read to its end, so nothing of it is shown. */
const MAX_READ_BYTES = MAX_IMAGE_BYTES
/** Enough to recognise each kind of picture. */
const SNIFFED_BYTES = 64

export type PreviewContent =
  | { readonly kind: 'image'; readonly type: ImageType; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'text'; readonly bytes: Uint8Array<ArrayBuffer>; readonly isCut: boolean }
  | { readonly kind: 'none'; readonly reason: 'empty' | 'unknown' | 'too_large' | 'broken' }

/**
 * Reads the whole file before anything of it is shown, because the last check of a file is at its end: its sender has
 * its key, and could seal another beginning that opens. Keeps no more of it than a preview needs. Cancels the rest of a
 * file that gets no preview. Rejects with the error of the stream.
 */
export async function readForPreview(
  content: ReadableStream<Uint8Array>,
  onProgress: (bytes: number) => void = () => undefined,
): Promise<PreviewContent> {
  const pieces: Uint8Array[] = []
  let length = 0
  let isSniffed = false
  let type: ImageType | undefined
  let text: PreviewContent | undefined
  let hasEnded = false
  const reader = content.getReader()
  try {
    while (!hasEnded && length <= MAX_READ_BYTES && text?.kind !== 'none') {
      const { done, value } = await reader.read()
      hasEnded = done
      if (value !== undefined) {
        if (text === undefined) pieces.push(value)
        length += value.length
        onProgress(length)
      }
      if (!isSniffed && (done || length >= SNIFFED_BYTES)) {
        isSniffed = true
        type = imageTypeOf(joined(pieces, SNIFFED_BYTES))
      }
      if (isSniffed && type === undefined && text === undefined && (done || length > MAX_TEXT_BYTES))
        text = textOf(joined(pieces, MAX_TEXT_BYTES), length > MAX_TEXT_BYTES)
    }
  } finally {
    // Cancels the rest. An error of a stream that has already failed says nothing new.
    if (!hasEnded) await reader.cancel().catch(() => undefined)
  }
  if (length === 0) return { kind: 'none', reason: 'empty' }
  if (text?.kind === 'none') return text
  if (length > MAX_READ_BYTES) return { kind: 'none', reason: 'too_large' }
  if (type === undefined) return text ?? { kind: 'none', reason: 'unknown' }
  const bytes = joined(pieces, MAX_IMAGE_BYTES)
  const reason = notDecodable(type, bytes)
  return reason === undefined ? { kind: 'image', type, bytes } : { kind: 'none', reason }
}

/** Why a picture must not reach a decoder. Of unknown size it counts as broken: it may be of any. */
export function notDecodable(type: ImageType, bytes: Uint8Array<ArrayBuffer>): 'broken' | 'too_large' | undefined {
  const pixels = pixelsOf(type, bytes)
  if (pixels === undefined) return 'broken'
  return bytes.length > MAX_IMAGE_BYTES || pixels > MAX_IMAGE_PIXELS ? 'too_large' : undefined
}

function joined(pieces: readonly Uint8Array[], bytesMax: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(
    Math.min(
      bytesMax,
      pieces.reduce((sum, piece) => sum + piece.length, 0),
    ),
  )
  let offset = 0
  for (const piece of pieces) {
    if (offset === whole.length) break
    whole.set(piece.subarray(0, whole.length - offset), offset)
    offset += Math.min(piece.length, whole.length - offset)
  }
  return whole
}

/** Recognises a picture by its first bytes (WHATWG MIME Sniffing, 6.1; AVIF: the brands of its `ftyp` box). */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const latin = String.fromCharCode(...bytes.subarray(0, SNIFFED_BYTES))
  if (latin.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (latin.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (latin.startsWith('GIF87a') || latin.startsWith('GIF89a')) return 'image/gif'
  if (latin.startsWith('RIFF') && latin.startsWith('WEBPVP', 8)) return 'image/webp'
  if (latin.startsWith('ftyp', 4) && /avi[fs]/.test(latin.slice(8))) return 'image/avif'
  return undefined
}

/** Valid UTF-8 without control characters except layout. A character split by the cut is left out. */
function textOf(bytes: Uint8Array<ArrayBuffer>, isCut: boolean): PreviewContent {
  const text = decoded(bytes, isCut)
  // The source of a PDF can be valid text, which tells a person nothing.
  if (text?.startsWith('%PDF-') === true) return { kind: 'none', reason: 'unknown' }
  if (text === undefined || /[^\P{Cc}\t\n\f\r\u0085]/u.test(text)) return { kind: 'none', reason: 'unknown' }
  return { kind: 'text', bytes, isCut }
}

function decoded(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}
