/** Recognises by its first bytes, never by the claimed name or type, what a file may be shown as. */
import type { DecoderName, ImageType, MediaType } from './previewMessages.ts'

/** Enough to recognise each kind. */
export const SNIFFED_BYTES = 64

export type Kind =
  | { readonly kind: 'image'; readonly type: ImageType }
  | { readonly kind: 'pages'; readonly decoder: DecoderName }
  | { readonly kind: 'media'; readonly type: MediaType }

/** WHATWG MIME Sniffing, 6.1 and 6.2; ISO 14496-12: the brands of the `ftyp` box. */
export function kindOf(bytes: Uint8Array): Kind | undefined {
  const type = imageTypeOf(bytes)
  if (type !== undefined) return { kind: 'image', type }
  const latin = latinOf(bytes)
  if (latin.startsWith('%PDF-')) return { kind: 'pages', decoder: 'pdf' }
  if (latin.startsWith('II*\0') || latin.startsWith('MM\0*')) return { kind: 'pages', decoder: 'tiff' }
  if (latin.startsWith('ftyp', 4) && /^(?:hei[cx]|mif1|msf1)/.test(latin.slice(8)) && /hei[cx]/.test(latin.slice(8)))
    return { kind: 'pages', decoder: 'heic' }
  const media = mediaTypeOf(bytes, latin)
  return media && { kind: 'media', type: media }
}

/** Recognises a picture that every browser draws. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const latin = latinOf(bytes)
  if (latin.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (latin.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (latin.startsWith('GIF87a') || latin.startsWith('GIF89a')) return 'image/gif'
  if (latin.startsWith('RIFF') && latin.startsWith('WEBPVP', 8)) return 'image/webp'
  if (latin.startsWith('ftyp', 4) && /avi[fs]/.test(latin.slice(8))) return 'image/avif'
  return undefined
}

function mediaTypeOf([first, second]: Uint8Array, latin: string): MediaType | undefined {
  if (latin.startsWith('ftyp', 4)) return latin.startsWith('M4A ', 8) ? 'audio/mp4' : 'video/mp4'
  if (latin.startsWith('\x1aE\xdf\xa3')) return 'video/webm'
  if (latin.startsWith('OggS\0')) return 'audio/ogg'
  if (latin.startsWith('fLaC')) return 'audio/flac'
  if (latin.startsWith('RIFF') && latin.startsWith('WAVE', 8)) return 'audio/wav'
  if (latin.startsWith('ID3')) return 'audio/mpeg'
  // The beginning of a frame: 11 bits, and the layer (ISO 11172-3, 2.4.1.3; ADTS: ISO 13818-7, 6.2).
  if (first !== 0xff || second === undefined) return undefined
  if ((second & 0xe6) === 0xe2) return 'audio/mpeg'
  return (second & 0xf6) === 0xf0 ? 'audio/aac' : undefined
}

function latinOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, SNIFFED_BYTES))
}
