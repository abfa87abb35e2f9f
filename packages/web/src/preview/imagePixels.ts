/** Reads from a picture's headers how many pixels a decoder would allocate. Nothing is decoded. */
import type { ImageType } from './previewMessages.ts'

/** Undefined when the size is not at its regular place; a decoder might then find another size. */
export function pixelsOf(type: ImageType | 'image/heic', bytes: Uint8Array<ArrayBuffer>): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return READERS[type](view) || undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const READERS: Readonly<Record<ImageType | 'image/heic', (view: DataView) => number | undefined>> = {
  'image/png': (view) => view.getUint32(16) * view.getUint32(20),
  'image/gif': gifPixels,
  'image/jpeg': jpegPixels,
  'image/webp': webpPixels,
  'image/avif': heifPixels,
  'image/heic': heifPixels,
}

/** The larger of the screen and its first picture (GIF89a, 18 and 20): decoders allocate the larger. */
function gifPixels(view: DataView): number {
  const screen = view.getUint16(6, true) * view.getUint16(8, true)
  const first = firstGifPicture(view)
  return Math.max(screen, view.getUint16(first + 5, true) * view.getUint16(first + 7, true))
}

/** The offset of the first picture's descriptor, after the colour table and any extensions. */
function firstGifPicture(view: DataView): number {
  const flags = view.getUint8(10)
  let offset = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  while (view.getUint8(offset) !== 0x2c) {
    if (view.getUint8(offset) !== 0x21) throw new RangeError('neither a picture nor an extension')
    // Each block of an extension starts with its length. The empty block is the last.
    for (offset += 2; view.getUint8(offset) !== 0; ) offset += 1 + view.getUint8(offset)
    offset += 1
  }
  return offset
}

/** The size is in the frame header (ITU T.81, B.2.2), which is one of the first segments. */
function jpegPixels(view: DataView): number | undefined {
  for (let offset = 2; view.getUint8(offset) === 0xff; ) {
    const marker = view.getUint8(offset + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return view.getUint16(offset + 5) * view.getUint16(offset + 7)
    // Any number of fill bytes may precede a marker, and some markers have no segment (B.1.1.3, B.1.1.4).
    const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
    offset += marker === 0xff ? 1 : isAlone ? 2 : 2 + view.getUint16(offset + 2)
  }
  return undefined
}

/** RFC 9649: the canvas of the extended form, or the size of the only picture. */
function webpPixels(view: DataView): number | undefined {
  switch (view.getUint8(15)) {
    case 0x58:
      return (1 + uint24(view, 24)) * (1 + uint24(view, 27))
    case 0x20:
      return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff)
    case 0x4c: {
      const packed = view.getUint32(21, true)
      return (1 + (packed & 0x3fff)) * (1 + ((packed >>> 14) & 0x3fff))
    }
    default:
      return undefined
  }
}

/** The largest `ispe` box (ISO 23008-12) within the first 64 KiB, where the metadata is. */
function heifPixels(view: DataView): number | undefined {
  const ISPE = 0x69737065
  let pixels: number | undefined
  for (let offset = 0; offset <= Math.min(view.byteLength - 16, 64 * 1024); offset++) {
    if (view.getUint32(offset) === ISPE)
      pixels = Math.max(pixels ?? 0, view.getUint32(offset + 8) * view.getUint32(offset + 12))
  }
  return pixels
}

function uint24(view: DataView, offset: number): number {
  return view.getUint16(offset, true) + view.getUint8(offset + 2) * 0x10000
}
