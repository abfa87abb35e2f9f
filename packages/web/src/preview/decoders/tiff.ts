/** Draws the pages of a TIFF: scans and faxes as well as photographs. */
import pako from 'pako'
import { decode, decodeImage, type IFD, toRGBA8 } from 'utif2'
import { answerWith, requirePixels } from './decoding.ts'

const MAX_PAGES = 1000
/** Four samples of 16 bits. */
const MAX_PIXEL_BYTES = 8

/** Of the page that is being decoded: `utif2` asks for all of a strip, and a few kilobytes may unpack to gigabytes. */
let inflatedMax = 0
Object.assign(pako, { inflateRaw: inflateWithin })
function inflateWithin(packed: pako.Data): Uint8Array {
  const inflate = new pako.Inflate({ raw: true })
  const collect = inflate.onData.bind(inflate)
  let length = 0
  inflate.onData = (chunk) => {
    length += chunk.length
    if (length > inflatedMax) throw new RangeError('more than the page has')
    collect(chunk)
  }
  inflate.push(packed, true)
  if (!(inflate.result instanceof Uint8Array)) throw new RangeError('damaged')
  return inflate.result
}

answerWith(async (bytes) => {
  requireEnd(new DataView(bytes))
  const pages = decode(bytes).filter((page) => sizeOf(page).width > 0)
  return {
    pages: pages.length,
    draw(number) {
      const page = pages[number]
      if (page === undefined) throw new RangeError('no such page')
      const stated = sizeOf(page)
      requirePixels(stated.width, stated.height)
      inflatedMax = stated.width * stated.height * MAX_PIXEL_BYTES
      decodeImage(bytes, page)
      const { width, height } = page
      requirePixels(width, height)
      const pixels = new Uint8ClampedArray(toRGBA8(page))
      // The next page needs the memory.
      page.data = new Uint8Array()
      return { width, height, pixels }
    },
  }
})

/** ImageWidth and ImageLength. */
function sizeOf({ t256, t257 }: IFD): { readonly width: number; readonly height: number } {
  const [width, height] = [t256, t257].map((tag) => (Array.isArray(tag) ? Number(tag[0]) : 0))
  return { width: width ?? 0, height: height ?? 0 }
}

/** Throws unless the chain of pages ends: `utif2` would follow a circle without an end. */
function requireEnd(view: DataView): void {
  const isLittle = view.getUint16(0) === 0x4949
  let offset = view.getUint32(4, isLittle)
  for (let pages = 0; offset !== 0; pages++) {
    if (pages === MAX_PAGES) throw new RangeError('too many pages')
    offset = view.getUint32(offset + 2 + 12 * view.getUint16(offset, isLittle), isLittle)
  }
}
