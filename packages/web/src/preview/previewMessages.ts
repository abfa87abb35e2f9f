/** The messages between a page and the frame that shows a stranger's file. Each side accepts only these shapes. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'] as const
export type ImageType = (typeof IMAGE_TYPES)[number]

export type ToFrame =
  | { readonly kind: 'image'; readonly type: ImageType; readonly bytes: ArrayBuffer; readonly label: string }
  | { readonly kind: 'text'; readonly bytes: ArrayBuffer; readonly label: string }
  | { readonly kind: 'thumbnail'; readonly type: ImageType; readonly bytes: ArrayBuffer; readonly edge: number }

export type FromFrame =
  | { readonly kind: 'ready' }
  /** With the size in pixels of a picture. */
  | { readonly kind: 'shown'; readonly width?: number; readonly height?: number }
  | { readonly kind: 'thumbnail'; readonly bytes: ArrayBuffer }
  | { readonly kind: 'failed' }
  /** The person has pressed Escape in the frame, at any time after it is ready. */
  | { readonly kind: 'escape' }

/** A picture of 256 pixels has about 20 kB. A frame that sends more is no longer under our control. */
export const MAX_THUMBNAIL_BYTES = 512 * 1024

/** Undefined for anything else, because a stranger's bytes may have taken over the frame that decodes them. */
export function parseFromFrame(data: unknown): FromFrame | undefined {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return undefined
  switch (data.kind) {
    case 'ready':
    case 'failed':
    case 'escape':
      return { kind: data.kind }
    case 'shown':
      return { kind: 'shown', ...sizeOf(data) }
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
  return isPixels(width) && isPixels(height) ? { width, height } : {}
}

function isPixels(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= 1_000_000
}
