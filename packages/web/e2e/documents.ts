/** Files of the kinds that are previewed: what is small is made here, the rest is in `files/`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

export const fixture = async (name: string) => new Uint8Array(await readFile(join(import.meta.dirname, 'files', name)))

/** The files of decoders that the page has fetched since the last call. */
export function watchDecoders(page: Page): () => readonly string[] {
  let fetched: string[] = []
  page.on('request', (request) => {
    const [, name] = /\/preview\/(.+\.(?:js|wasm))$/.exec(request.url()) ?? []
    if (name !== undefined) fetched.push(name)
  })
  return () => {
    const since = fetched.sort()
    fetched = []
    return since
  }
}

/** By name: two pages, a photo, two pages of a fax, a film, a sound, and what has no preview. */
export const filesOfKinds = async () => ({
  'plan.pdf': pdfOf(['The first page', 'And the second']),
  'photo.heic': await fixture('photo.heic'),
  'fax.tiff': await fixture('fax.tiff'),
  'film.webm': await fixture('film.webm'),
  'tone.wav': wavOf(),
  'letter.docx': new TextEncoder().encode('PK\x03\x04'),
})

/** Pages of text. On opening it asks for JavaScript and for an address, which a viewer must not give. */
export function pdfOf(pages: readonly string[], address = 'http://127.0.0.2:9/opened'): Uint8Array<ArrayBuffer> {
  const first = 4
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\); this.submitForm\\("X"\\);) >>' +
      ` /AA << /WC << /S /URI /URI (${address}) >> >> >>`,
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, index) => {
      const content = `BT /F1 24 Tf 40 300 Td (${text}) Tj ET 0.8 0.3 0.1 rg 40 60 200 160 re f`
      const uri = `<< /Type /Annot /Subtype /Link /Rect [0 0 300 400] /A << /S /URI /URI (${address}) >> >>`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents ${first + 2 * index + 1} 0 R` +
          ` /Resources << /Font << /F1 3 0 R >> >> /Annots [${uri}] /AA << /O << /S /URI /URI (${address}) >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]
    }),
  ]
  return assembled(objects)
}

/** The objects of a PDF, numbered from 1; the first is its catalogue. */
function assembled(objects: readonly string[]): Uint8Array<ArrayBuffer> {
  let file = '%PDF-1.7\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Uint8Array.from(Buffer.from(`${file}${table}${trailer}`, 'latin1'))
}

interface TiffOptions {
  readonly width: number
  readonly height: number
  /** 8 is Deflate. */
  readonly compression: number
  readonly strip: Uint8Array
  /** Where the chain of pages goes on; 8 is this page again. */
  readonly next?: number
  /** Later tags: of two with the same number the later counts. */
  readonly more?: readonly TiffTag[]
}

interface TiffTag {
  readonly tag: number
  /** 4, a number of 32 bits, when left out. */
  readonly type?: number
  readonly count?: number
  /** Or where the values are. */
  readonly value: number
}

/** One page of one strip, 8 bits of grey. */
export function tiffOf(options: TiffOptions): Uint8Array<ArrayBuffer> {
  const { width, height, compression, strip, next = 0, more = [] } = options
  const regular: readonly (readonly [tag: number, value: number])[] = [
    [256, width],
    [257, height],
    [258, 8],
    [259, compression],
    [262, 1],
    [273, 8 + 2 + 12 * (9 + more.length) + 4],
    [277, 1],
    [278, height],
    [279, strip.length],
  ]
  const tags: readonly TiffTag[] = [...regular.map(([tag, value]) => ({ tag, value })), ...more]
  const head = Buffer.alloc(8 + 2 + 12 * tags.length + 4)
  head.write('II*\0', 'latin1')
  head.writeUInt32LE(8, 4)
  head.writeUInt16LE(tags.length, 8)
  for (const [index, { tag, type = 4, count = 1, value }] of tags.entries()) {
    const place = 10 + 12 * index
    head.writeUInt16LE(tag, place)
    head.writeUInt16LE(type, place + 2)
    head.writeUInt32LE(count, place + 4)
    head.writeUInt32LE(value, place + 8)
  }
  head.writeUInt32LE(next, 10 + 12 * tags.length)
  return Uint8Array.from(Buffer.concat([head, strip]))
}

/** A second of silence, 8 bits. */
export function wavOf(): Uint8Array<ArrayBuffer> {
  const samples = Buffer.alloc(8000, 128)
  const head = Buffer.alloc(44)
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples.length, 40)
  return Uint8Array.from(Buffer.concat([head, samples]))
}

/** One page, each of whose drawings draws another fifty times: more than any machine has memory for. */
export function growingPdf(): Uint8Array<ArrayBuffer> {
  const [depth, times] = [8, 50]
  const forms = Array.from({ length: depth }, (_, index) => {
    const head = '/Type /XObject /Subtype /Form /BBox [0 0 300 400]'
    if (index === depth - 1) return streamOf(head, '0 0 300 400 re f')
    return streamOf(`${head} /Resources << /XObject << /F ${5 + index + 1} 0 R >> >>`, '/F Do '.repeat(times))
  })
  return onePagePdf('/XObject << /F 5 0 R >>', '/F Do', forms)
}

/** One page, each of whose pixels takes a hundred thousand steps: more than any machine has time for. */
export function endlessPdf(): Uint8Array<ArrayBuffer> {
  const bounds = '/Domain [0 1 0 1] /Range [0 1 0 1 0 1]'
  return onePagePdf('/Shading << /S 5 0 R >>', '/S sh', [
    '<< /ShadingType 1 /ColorSpace /DeviceRGB /Matrix [300 0 0 400 0 0] /Function 6 0 R >>',
    streamOf(`/FunctionType 4 ${bounds}`, `{ ${'dup mul sqrt '.repeat(33_000)} dup }`),
  ])
}

function onePagePdf(resources: string, content: string, more: readonly string[]): Uint8Array<ArrayBuffer> {
  return assembled([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents 4 0 R /Resources << ${resources} >> >>`,
    streamOf('', content),
    ...more,
  ])
}

function streamOf(head: string, content: string): string {
  return `<< ${head} /Length ${content.length} >>\nstream\n${content}\nendstream`
}
