import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { imageTypeOf, kindOf } from './fileKind.ts'
import { pixelsOf } from './imagePixels.ts'
import { MAX_IMAGE_BYTES, MAX_MEDIA_BYTES, MAX_TEXT_BYTES, readForPreview } from './previewContent.ts'

const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** `size` bytes with this beginning, in pieces. Records what was read, and whether the rest was cancelled. */
function fileOf(start: Uint8Array, size = start.length, pieceBytes = 10_000) {
  const reads = { given: 0, isCancelled: false }
  const content = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (reads.given === size) return controller.close()
        const piece = new Uint8Array(Math.min(pieceBytes, size - reads.given)).fill(0x61)
        piece.set(start.subarray(reads.given, reads.given + piece.length))
        reads.given += piece.length
        controller.enqueue(piece)
      },
      cancel() {
        reads.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { content, reads }
}

/** The beginning of a PNG, up to its size. */
function png(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(33)
  bytes.set(ascii('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'))
  new DataView(bytes.buffer).setUint32(16, width)
  new DataView(bytes.buffer).setUint32(20, height)
  return bytes
}

describe('readForPreview', () => {
  it('recognises pictures by their first bytes only', () => {
    assert.equal(imageTypeOf(png(1, 1)), 'image/png')
    assert.equal(imageTypeOf(ascii('\xff\xd8\xff\xe0\0\x10JFIF')), 'image/jpeg')
    assert.equal(imageTypeOf(ascii('GIF89a\x01\0\x01\0')), 'image/gif')
    assert.equal(imageTypeOf(ascii('RIFF\x24\0\0\0WEBPVP8L')), 'image/webp')
    assert.equal(imageTypeOf(ascii('\0\0\0\x20ftypmif1\0\0\0\0avifmif1')), 'image/avif')
    for (const other of ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'RIFF\x24\0\0\0WAVEfmt ', '%PDF-1.7', 'BM', ''])
      assert.equal(imageTypeOf(ascii(other)), undefined, other)
  })

  it('recognises documents, films and sounds by their first bytes only', () => {
    const kinds = {
      '%PDF-1.7\n': 'pdf',
      'II*\0\x08\0\0\0': 'tiff',
      'MM\0*\0\0\0\x08': 'tiff',
      '\0\0\0\x1cftypheic\0\0\0\0mif1heic': 'heic',
      '\0\0\0\x1cftypmif1\0\0\0\0mif1heic': 'heic',
      '\0\0\0\x18ftypisom\0\0\0\0isom': 'video/mp4',
      '\0\0\0\x18ftypqt  \0\0\0\0qt  ': 'video/mp4',
      '\0\0\0\x18ftypM4A \0\0\0\0': 'audio/mp4',
      '\x1aE\xdf\xa3\x9fB\x86\x81\x01': 'video/webm',
      'OggS\0\x02': 'audio/ogg',
      'fLaC\0\0': 'audio/flac',
      'RIFF\x24\0\0\0WAVEfmt ': 'audio/wav',
      'ID3\x04\0': 'audio/mpeg',
      '\xff\xfb\x90\x64': 'audio/mpeg',
      '\xff\xf1\x50\x80': 'audio/aac',
    }
    for (const [bytes, expected] of Object.entries(kinds)) {
      const kind = kindOf(ascii(bytes))
      assert.equal(kind?.kind === 'pages' ? kind.decoder : kind?.kind === 'media' && kind.type, expected, bytes)
    }
    // A playlist of addresses is a text.
    for (const other of ['#EXTM3U\nhttp://127.0.0.2:9/a.ts', '\xff\xfea\0', 'RIFF\x24\0\0\0AVI LIST', 'PK\x03\x04'])
      assert.equal(kindOf(ascii(other)), undefined, other)
  })

  it('returns a whole document, film or sound, each up to its own size', async () => {
    const document = await readForPreview(fileOf(ascii('%PDF-1.7\n'), 5000).content)
    assert.ok(document.kind === 'pages' && document.decoder === 'pdf' && document.bytes.length === 5000)
    const film = await readForPreview(fileOf(ascii('\x1aE\xdf\xa3'), MAX_IMAGE_BYTES + 1, 5_000_000).content)
    assert.ok(film.kind === 'media' && film.type === 'video/webm' && film.file.size === MAX_IMAGE_BYTES + 1)
    for (const [start, max] of [
      ['%PDF-1.7\n', MAX_IMAGE_BYTES],
      ['\x1aE\xdf\xa3', MAX_MEDIA_BYTES],
    ] as const) {
      const long = fileOf(ascii(start), max + 50_000_000, 10_000_000)
      assert.deepEqual(await readForPreview(long.content), { kind: 'none', reason: 'too_large' })
      assert.ok(long.reads.isCancelled && long.reads.given <= max + 10_000_000)
    }
  })

  it('refuses a picture of a phone that states too many pixels, or none', async () => {
    const claims = (size: string) => `\0\0\0\x18ftypheic\0\0\0\0mif1heic${size}`
    const huge = fileOf(ascii(claims('\0\0\0\x14ispe\0\0\0\0\0\0\xff\xff\0\0\xff\xff')))
    assert.deepEqual(await readForPreview(huge.content), { kind: 'none', reason: 'too_large' })
    assert.deepEqual(await readForPreview(fileOf(ascii(claims(''))).content), { kind: 'none', reason: 'broken' })
  })

  it('returns a whole picture, whatever the size of the pieces', async () => {
    for (const pieceBytes of [1, 7, 64, 10_000]) {
      const { content } = fileOf(png(20, 10), 1000, pieceBytes)
      const shown = await readForPreview(content)
      assert.ok(shown.kind === 'image')
      assert.equal(shown.type, 'image/png')
      assert.equal(shown.bytes.length, 1000)
      assert.deepEqual(shown.bytes.subarray(0, 33), png(20, 10))
    }
  })

  it('refuses a picture with too many bytes or pixels', async () => {
    const long = fileOf(png(20, 10), MAX_IMAGE_BYTES + 5_000_000, 1_000_000)
    assert.deepEqual(await readForPreview(long.content), { kind: 'none', reason: 'too_large' })
    assert.ok(long.reads.isCancelled && long.reads.given <= MAX_IMAGE_BYTES + 1_000_000)
    const bomb = fileOf(png(30_000, 30_000))
    assert.deepEqual(await readForPreview(bomb.content), { kind: 'none', reason: 'too_large' })
  })

  it('refuses a picture of unknown size', async () => {
    const strange = fileOf(ascii('\xff\xd8\xff\xe0\0\x04AB??\xff\xc0\0\x0b\x08\xff\xff\xff\xff\x01'))
    assert.deepEqual(await readForPreview(strange.content), { kind: 'none', reason: 'broken' })
  })

  it('returns the beginning of a long text once its end was read', async () => {
    const { content, reads } = fileOf(ascii('<script>alert(1)</script>'), 1_000_000)
    const shown = await readForPreview(content)
    assert.ok(shown.kind === 'text' && shown.isCut)
    assert.equal(shown.bytes.length, MAX_TEXT_BYTES)
    assert.ok(reads.given === 1_000_000 && !reads.isCancelled)
  })

  it('returns nothing of a long text that fails its last check', async () => {
    const altered = new Error('altered')
    const { content } = fileOf(ascii('We agree on 1,000,000.'), 2 * MAX_TEXT_BYTES)
    const failing = content.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({ flush: (controller) => controller.error(altered) }),
    )
    await assert.rejects(readForPreview(failing), altered)
  })

  it('reads a file without a preview no further than it must', async () => {
    const text = fileOf(ascii('a text'), MAX_IMAGE_BYTES + 5_000_000, 1_000_000)
    assert.deepEqual(await readForPreview(text.content), { kind: 'none', reason: 'too_large' })
    assert.ok(text.reads.isCancelled && text.reads.given <= MAX_IMAGE_BYTES + 1_000_000)
    const program = fileOf(ascii('MZ\x90\0'), 10_000_000)
    assert.deepEqual(await readForPreview(program.content), { kind: 'none', reason: 'unknown' })
    assert.ok(program.reads.isCancelled && program.reads.given < MAX_TEXT_BYTES + 20_000)
  })

  it('accepts a text that is cut in the middle of a character', async () => {
    const shown = await readForPreview(fileOf(new TextEncoder().encode(`a${'ü'.repeat(MAX_TEXT_BYTES)}`)).content)
    assert.ok(shown.kind === 'text' && shown.isCut)
  })

  it('refuses other bytes, other encodings and an empty file', async () => {
    const none = async (bytes: Uint8Array) => {
      const shown = await readForPreview(fileOf(bytes).content)
      return shown.kind === 'none' ? shown.reason : shown.kind
    }
    assert.equal(await none(ascii('MZ\x90\0\x03\0\0\0')), 'unknown')
    assert.equal(await none(ascii('a\x1b[31mred')), 'unknown')
    assert.equal(await none(ascii('gr\xfcn')), 'unknown')
    assert.equal(await none(new TextEncoder().encode('ü').subarray(0, 1)), 'unknown')
    assert.equal(await none(new Uint8Array()), 'empty')
    assert.equal(await none(ascii('one\r\n\ttwo\n')), 'text')
  })

  it('rejects with the error of the stream, so that a file that fails its last check is never shown', async () => {
    const altered = new Error('altered')
    const content = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(png(1, 1)),
      pull: (controller) => controller.error(altered),
    })
    await assert.rejects(readForPreview(content), altered)
  })
})

describe('pixelsOf', () => {
  it('reads the pixels of each kind of picture', () => {
    assert.equal(pixelsOf('image/png', png(300, 200)), 60_000)
    const still = '\x2c\0\0\0\0\x02\0\x03\0\0'
    assert.equal(pixelsOf('image/gif', ascii(`GIF89a\x2c\x01\xc8\0\0\0\0${still}`)), 60_000)
    const jpeg = ascii('\xff\xd8\xff\xe0\0\x04AB\xff\xff\xc2\0\x0b\x08\0\xc8\x01\x2c\x01')
    assert.equal(pixelsOf('image/jpeg', jpeg), 60_000)
    const webp = ascii('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x2b\x01\0\xc7\0\0')
    assert.equal(pixelsOf('image/webp', webp), 60_000)
    const lossless = ascii('RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x2b\xc1\x31\0')
    assert.equal(pixelsOf('image/webp', lossless), 60_000)
    const avif = ascii('\0\0\0\x0cftypavif\0\0\0\x14ispe\0\0\0\0\0\0\x01\x2c\0\0\0\xc8')
    assert.equal(pixelsOf('image/avif', avif), 60_000)
  })

  it('takes a frame that is larger than its screen, and ignores segments that only look like a frame', () => {
    const colours = `\x80\0\0${'\0'.repeat(6)}`
    const large = '\x21\xfe\x02hi\0\x2c\0\0\0\0\x2c\x01\xc8\0\0'
    assert.equal(pixelsOf('image/gif', ascii(`GIF89a\x01\0\x01\0${colours}${large}`)), 60_000)
    const alone = ascii('\xff\xd8\xff\x01\xff\xd0\xff\xc2\0\x0b\x08\0\xc8\x01\x2c\x01')
    assert.equal(pixelsOf('image/jpeg', alone), 60_000)
  })

  it('answers undefined for a picture that is too short or has no pixels', () => {
    assert.equal(pixelsOf('image/gif', ascii('GIF89a\x01\0\x01\0\0\0\0\x3b')), undefined)
    assert.equal(pixelsOf('image/png', png(0, 5)), undefined)
    assert.equal(pixelsOf('image/png', ascii('\x89PNG')), undefined)
    assert.equal(pixelsOf('image/jpeg', ascii('\xff\xd8\xff\xe0\0\x04')), undefined)
    assert.equal(pixelsOf('image/jpeg', ascii('\xff\xd8\x00')), undefined)
  })
})
