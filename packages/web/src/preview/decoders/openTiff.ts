/** Draws the pages of a TIFF: scans and faxes as well as photographs. */
import pako from 'pako'
import utif, { type IFD } from 'utif2'
import { type OpenedFile, requirePixels } from './decoding.ts'

const MAX_PAGES = 1000
/** Four samples of 16 bits. */
const MAX_PIXEL_BYTES = 8
/** PhotometricInterpretation of raw files. */
const OF_A_SENSOR = 32803

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

/** Each becomes an element of an array, or an array: a few bytes may claim billions. */
const MAX_VALUES = 4_000_000
/** Of the file that is being opened. */
let left = { pages: 0, values: 0 }

interface Reader {
  readUshort(bytes: Uint8Array, offset: number): number
  readUint(bytes: Uint8Array, offset: number): number
}

type ReadPage = (reader: Reader, bytes: Uint8Array, offset: number, pages: IFD[], depth: number, how: unknown) => void

const readPage: ReadPage = Reflect.get(utif, '_readIFD')
Object.assign(utif, { _readIFD: readPageWithin })
/** `utif2` follows a circle of pages without an end, and reads as many values as a page claims. */
function readPageWithin(...[reader, bytes, offset, pages, depth, how]: Parameters<ReadPage>): void {
  // What a camera nests in a page is no page, and may be nested without an end.
  if (depth > 0) return
  left.pages -= 1
  const end = offset + 2 + 12 * reader.readUshort(bytes, offset)
  for (let at = offset + 2; at < end; at += 12) {
    // Bytes are not copied.
    const isOfBytes = [1, 7].includes(reader.readUshort(bytes, at + 2))
    left.values -= isOfBytes ? 1 : Math.max(1, reader.readUint(bytes, at + 4))
  }
  if (left.pages < 0 || left.values < 0) throw new RangeError('more than a file has')
  readPage(reader, bytes, offset, pages, depth, how)
}

/** Throws for what is no TIFF, or claims more than a file has. */
export function openTiff(bytes: ArrayBuffer): OpenedFile {
  left = { pages: MAX_PAGES, values: MAX_VALUES }
  const pages = utif.decode(bytes).filter((page) => numberIn(page, 't256') > 0)
  return {
    pages: pages.length,
    draw(number) {
      const page = pages[number]
      if (page === undefined) throw new RangeError('no such page')
      inflatedMax = MAX_PIXEL_BYTES * requireSizes(page)
      utif.decodeImage(bytes, page)
      const { width, height } = page
      requirePixels(width, height)
      const pixels = new Uint8ClampedArray(utif.toRGBA8(page))
      // The next page needs the memory.
      page.data = new Uint8Array()
      return { width, height, pixels }
    },
  }
}

/** Of the page or a tile of it, whichever has more pixels. Throws for more than is drawn. */
function requireSizes(page: IFD): number {
  const [width, height] = [numberIn(page, 't256'), numberIn(page, 't257')]
  // ImageWidth and ImageLength; TileWidth and TileLength, which a page in strips has not.
  const [tileWidth, tileHeight] = [numberIn(page, 't322', width), numberIn(page, 't323', height)]
  requirePixels(width, height)
  requirePixels(tileWidth, tileHeight)
  // BitsPerSample and SamplesPerPixel.
  if (numberIn(page, 't258', 1) * numberIn(page, 't277', 1) > 8 * MAX_PIXEL_BYTES)
    throw new RangeError('no such pixels')
  // Of a camera's sensor `utif2` calculates the bits of a pixel from what the page claims.
  if (numberIn(page, 't262') === OF_A_SENSOR) throw new RangeError('no picture yet')
  return Math.max(width * height, tileWidth * tileHeight)
}

function numberIn(page: IFD, tag: string, otherwise = 0): number {
  const values = page[tag]
  return Array.isArray(values) || values instanceof Uint8Array ? Number(values[0]) : otherwise
}
