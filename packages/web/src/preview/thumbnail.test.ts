import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MAX_THUMBNAIL_BYTES } from '@blindkeep/client/owner'
import { thumbnailTypeOf } from './thumbnail.ts'

const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** The beginning of a PNG, up to its size, padded to `length` bytes. */
function png(width: number, height: number, length = 33): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  bytes.set(latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'))
  new DataView(bytes.buffer).setUint32(16, width)
  new DataView(bytes.buffer).setUint32(20, height)
  return bytes
}

/** The beginning of an extended WebP, up to its canvas. */
function webp(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(30)
  bytes.set(latin('RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0'))
  new DataView(bytes.buffer).setUint16(24, width - 1, true)
  new DataView(bytes.buffer).setUint16(27, height - 1, true)
  return bytes
}

describe('thumbnailTypeOf', () => {
  it('accepts WebP, PNG and JPEG of up to 256 pixels a side', () => {
    assert.equal(thumbnailTypeOf(webp(256, 256)), 'image/webp')
    assert.equal(thumbnailTypeOf(png(256, 1)), 'image/png')
    assert.equal(thumbnailTypeOf(latin('\xff\xd8\xff\xc0\0\x11\x08\x01\0\x01\0\x03')), 'image/jpeg')
  })

  it('refuses a picture with more pixels, or of unknown size', () => {
    assert.equal(thumbnailTypeOf(webp(257, 256)), undefined)
    assert.equal(thumbnailTypeOf(png(16_384, 16_384)), undefined)
    assert.equal(thumbnailTypeOf(latin('\xff\xd8\xff\xc0\0\x11\x08\x01\x01\x01\0\x03')), undefined)
    assert.equal(thumbnailTypeOf(png(256, 256).subarray(0, 20)), undefined)
    assert.equal(thumbnailTypeOf(png(0, 0)), undefined)
  })

  it('refuses a file that is too large', () => {
    assert.equal(thumbnailTypeOf(png(256, 256, MAX_THUMBNAIL_BYTES)), 'image/png')
    assert.equal(thumbnailTypeOf(png(256, 256, MAX_THUMBNAIL_BYTES + 1)), undefined)
  })

  it('refuses other kinds of pictures and documents', () => {
    for (const other of ['GIF89a\x01\0\x01\0\0\0\0,', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'BM', ''])
      assert.equal(thumbnailTypeOf(latin(other)), undefined, other)
  })
})
