/** Draws the pages of a PDF with PDFium, which has no JavaScript here, no forms and no actions: it only draws. */
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'
import { answerWith, type Drawing, isLocked, requirePixels } from './decoding.ts'

/** FPDF_ERR_PASSWORD. */
const NEEDS_PASSWORD = 4
/** FPDF_ANNOT: what people have filled in and marked. FPDF_REVERSE_BYTE_ORDER: RGBA. */
const FLAGS = 0x01 | 0x10
/** A page is sharp on a large screen. */
const MAX_EDGE = 3000
const MAX_TEXT_CHARACTERS = 50_000

answerWith(async (bytes, wasmBinary) => {
  // A damaged file is said on the page, not in the console.
  const pdfium = await init({ wasmBinary, printErr: () => undefined })
  pdfium.PDFiumExt_Init()
  const file = copyIn(pdfium, new Uint8Array(bytes))
  const document = pdfium.FPDF_LoadMemDocument(file, bytes.byteLength, '')
  if (document === 0) throw pdfium.FPDF_GetLastError() === NEEDS_PASSWORD ? isLocked() : new Error('no PDF')
  return {
    pages: pdfium.FPDF_GetPageCount(document),
    draw(number, width) {
      const page = pdfium.FPDF_LoadPage(document, number)
      if (page === 0) throw new Error('no such page')
      try {
        return { ...picture(pdfium, page, width), text: textOf(pdfium, page) }
      } finally {
        pdfium.FPDF_ClosePage(page)
      }
    },
  }
})

function copyIn({ pdfium }: WrappedPdfiumModule, bytes: Uint8Array): number {
  const place = pdfium.wasmExports.malloc(bytes.length)
  if (place === 0) throw new RangeError('no memory')
  pdfium.HEAPU8.set(bytes, place)
  return place
}

function picture(pdfium: WrappedPdfiumModule, page: number, wanted: number): Drawing {
  const [pageWidth, pageHeight] = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)]
  const scale = Math.min(wanted / pageWidth, MAX_EDGE / pageWidth, MAX_EDGE / pageHeight)
  const [width, height] = [pageWidth, pageHeight].map((edge) => Math.max(1, Math.round(edge * scale)))
  if (width === undefined || height === undefined) throw new RangeError('a page has two edges')
  requirePixels(width, height)
  const bitmap = pdfium.FPDFBitmap_Create(width, height, 0)
  if (bitmap === 0) throw new RangeError('no memory')
  try {
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff)
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, FLAGS)
    const place = pdfium.FPDFBitmap_GetBuffer(bitmap)
    const pixels = new Uint8ClampedArray(pdfium.pdfium.HEAPU8.slice(place, place + 4 * width * height).buffer)
    for (let alpha = 3; alpha < pixels.length; alpha += 4) pixels[alpha] = 255
    return { width, height, pixels }
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap)
  }
}

/** For a person who does not see the picture. */
function textOf(pdfium: WrappedPdfiumModule, page: number): string {
  const text = pdfium.FPDFText_LoadPage(page)
  if (text === 0) return ''
  const count = Math.min(pdfium.FPDFText_CountChars(text), MAX_TEXT_CHARACTERS)
  const place = pdfium.pdfium.wasmExports.malloc(2 * (count + 1))
  try {
    if (place === 0 || count < 1) return ''
    const written = pdfium.FPDFText_GetText(text, 0, count, place)
    return new TextDecoder('utf-16le').decode(pdfium.pdfium.HEAPU8.slice(place, place + 2 * Math.max(0, written - 1)))
  } finally {
    pdfium.pdfium.wasmExports.free(place)
    pdfium.FPDFText_ClosePage(text)
  }
}
