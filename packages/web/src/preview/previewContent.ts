/** Decides from a stranger's bytes, never from the claimed name or type, what a preview can show. */

import { type Kind, kindOf, SNIFFED_BYTES } from './fileKind.ts'
import { pixelsOf } from './imagePixels.ts'
import type { Drawable } from './previewMessages.ts'

/** Larger than the pictures of cameras, and small enough for every browser. */
export const MAX_IMAGE_BYTES = 50_000_000
/** A film or a sound is not copied as a picture is, but read to its end before any of it is played. */
export const MAX_MEDIA_BYTES = 250_000_000
/** A few kilobytes can decode to a picture that fills the memory: 100 million pixels take 400 MB. */
const MAX_IMAGE_PIXELS = 100_000_000
/** Of a longer text, the beginning is shown. */
export const MAX_TEXT_BYTES = 256 * 1024

export type PreviewContent =
  | Drawable
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
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  let isSniffed = false
  let kind: Kind | undefined
  let text: PreviewContent | undefined
  let hasEnded = false
  const reader = content.getReader()
  try {
    while (!hasEnded && length <= maxBytesOf(kind) && text?.kind !== 'none') {
      const { done, value } = await reader.read()
      hasEnded = done
      if (value !== undefined) {
        if (text === undefined) pieces.push(own(value))
        length += value.length
        onProgress(length)
      }
      if (!isSniffed && (done || length >= SNIFFED_BYTES)) {
        isSniffed = true
        kind = kindOf(joined(pieces, SNIFFED_BYTES))
      }
      if (isSniffed && kind === undefined && text === undefined && (done || length > MAX_TEXT_BYTES))
        text = textOf(joined(pieces, MAX_TEXT_BYTES), length > MAX_TEXT_BYTES)
    }
  } finally {
    // Cancels the rest. An error of a stream that has already failed says nothing new.
    if (!hasEnded) await reader.cancel().catch(() => undefined)
  }
  if (length === 0) return { kind: 'none', reason: 'empty' }
  if (text?.kind === 'none') return text
  if (length > maxBytesOf(kind)) return { kind: 'none', reason: 'too_large' }
  if (kind === undefined) return text ?? { kind: 'none', reason: 'unknown' }
  return drawableOf(kind, pieces)
}

/** A file that is longer is not read to its end, so nothing of it is shown. */
export function maxBytesOf(kind: Pick<Kind, 'kind'> | undefined): number {
  return kind?.kind === 'media' ? MAX_MEDIA_BYTES : MAX_IMAGE_BYTES
}

/** What may reach a decoder of a file that was read to its end. */
function drawableOf(kind: Kind, pieces: readonly Uint8Array<ArrayBuffer>[]): PreviewContent {
  // The browser may put it on its disk.
  if (kind.kind === 'media') return { ...kind, file: new Blob([...pieces]) }
  const bytes = joined(pieces, MAX_IMAGE_BYTES)
  const reason = notDecodable(kind, bytes)
  return reason === undefined ? { ...kind, bytes } : { kind: 'none', reason }
}

/** Why a picture must not reach the browser's decoder. Of unknown size it counts as broken: it may be of any. */
function notDecodable(kind: Kind, bytes: Uint8Array<ArrayBuffer>): 'broken' | 'too_large' | undefined {
  const type =
    kind.kind === 'image' ? kind.type : kind.kind === 'pages' && kind.decoder === 'heic' ? 'image/heic' : undefined
  // The other decoders are ours, and look for themselves (decoders/decoding.ts).
  if (type === undefined) return undefined
  const pixels = pixelsOf(type, bytes)
  if (pixels === undefined) return 'broken'
  return pixels > MAX_IMAGE_PIXELS ? 'too_large' : undefined
}

/** Copied if it is in shared memory, which no `Blob` takes. */
function own(piece: Uint8Array): Uint8Array<ArrayBuffer> {
  return piece.buffer instanceof ArrayBuffer
    ? new Uint8Array(piece.buffer, piece.byteOffset, piece.length)
    : piece.slice()
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

/** Valid UTF-8 without control characters except layout. A character split by the cut is left out. */
function textOf(bytes: Uint8Array<ArrayBuffer>, isCut: boolean): PreviewContent {
  const text = decoded(bytes, isCut)
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
