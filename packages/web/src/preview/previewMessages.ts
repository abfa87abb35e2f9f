/** The messages between a page and the frame that shows a stranger's file. Each side accepts only these shapes. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'] as const
export type ImageType = (typeof IMAGE_TYPES)[number]

/** Kinds that browsers cannot draw, or not all of them: a decoder of their own draws them, loaded when it is needed. */
export type DecoderName = 'pdf' | 'heic' | 'tiff'

/** What the browser's own player is given. */
export type MediaType =
  | 'video/mp4'
  | 'video/webm'
  | 'audio/aac'
  | 'audio/flac'
  | 'audio/mp4'
  | 'audio/mpeg'
  | 'audio/ogg'
  | 'audio/wav'

/** A file of which the frame can draw a picture. */
export type Drawable =
  | { readonly kind: 'image'; readonly type: ImageType; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'pages'; readonly decoder: DecoderName; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'media'; readonly type: MediaType; readonly file: Blob }

/** The scripts of a decoder in their order, which make one worker, and its WebAssembly. */
export interface DecoderCode {
  readonly scripts: readonly Blob[]
  readonly wasm: Blob | undefined
}

/** The first order of a frame, and of most the only one. */
export type Order =
  | (Drawable & { readonly label: string })
  | { readonly kind: 'text'; readonly bytes: Uint8Array<ArrayBuffer>; readonly label: string }
  | { readonly kind: 'thumbnail'; readonly of: Drawable; readonly edge: number }

export type ToFrame =
  | Order
  /** The answer to `needs`. */
  | { readonly kind: 'decoder'; readonly code: DecoderCode }
  /** Draw another page. The first is 0. */
  | { readonly kind: 'page'; readonly page: number; readonly label: string }

export const FAILURES = ['locked', 'too_large'] as const
/** A PDF with a password; more pixels than are drawn. */
export type Failure = (typeof FAILURES)[number]

export type FromFrame =
  | { readonly kind: 'ready' }
  /** Nothing here draws this file without its decoder. */
  | { readonly kind: 'needs' }
  /** With the size in pixels of a picture, and how many pages there are. */
  | { readonly kind: 'shown'; readonly width?: number; readonly height?: number; readonly pages?: number }
  | { readonly kind: 'thumbnail'; readonly bytes: ArrayBuffer }
  | { readonly kind: 'failed'; readonly failure?: Failure }
  /** The person has pressed Escape in the frame, at any time after it is ready. */
  | { readonly kind: 'escape' }
  /** The person has pressed a key in the frame that turns a page, forwards or back. */
  | { readonly kind: 'turn'; readonly by: 1 | -1 }

/** A picture of 256 pixels has about 20 kB. A frame that sends more is no longer under our control. */
export const MAX_THUMBNAIL_BYTES = 512 * 1024

/** Undefined for anything else, because a stranger's bytes may have taken over the frame that decodes them. */
export function parseFromFrame(data: unknown): FromFrame | undefined {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return undefined
  switch (data.kind) {
    case 'ready':
    case 'needs':
    case 'escape':
      return { kind: data.kind }
    case 'failed': {
      const failure = FAILURES.find((each) => 'failure' in data && data.failure === each)
      return { kind: 'failed', ...(failure && { failure }) }
    }
    case 'turn':
      return { kind: 'turn', by: 'by' in data && data.by === -1 ? -1 : 1 }
    case 'shown': {
      const pages = 'pages' in data ? data.pages : undefined
      return { kind: 'shown', ...sizeOf(data), ...(isCount(pages) && { pages }) }
    }
    case 'thumbnail': {
      const bytes = 'bytes' in data ? data.bytes : undefined
      if (!(bytes instanceof ArrayBuffer) || bytes.byteLength > MAX_THUMBNAIL_BYTES) return undefined
      return { kind: 'thumbnail', bytes }
    }
    default:
      return undefined
  }
}

function sizeOf(data: object): { readonly width?: number; readonly height?: number } {
  const width = 'width' in data ? data.width : undefined
  const height = 'height' in data ? data.height : undefined
  return isCount(width) && isCount(height) ? { width, height } : {}
}

/** Of pixels or pages. */
function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= 1_000_000
}
