import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mayHaveThumbnail, whyNoPreview } from './mayHavePreview.ts'
import { MAX_IMAGE_BYTES, MAX_MEDIA_BYTES } from './previewContent.ts'

const size = 1000

describe('whyNoPreview', () => {
  it('names the kinds that have no preview, by name or type', () => {
    for (const name of ['letter.docx', 'a.tar.gz', 'FILM.MKV', 'old.avi'])
      assert.equal(whyNoPreview({ name, size }), 'unknown', name)
    for (const type of ['video/x-msvideo', 'font/woff2', 'application/vnd.oasis.opendocument.text'])
      assert.equal(whyNoPreview({ name: 'file', type, size }), 'unknown', type)
  })

  it('excludes no picture, text, document, film or sound, and nothing unknown', () => {
    for (const name of [
      'a.png',
      'a.txt',
      'plan.pdf',
      'IMG_1.HEIC',
      'fax.tif',
      'F.MP4',
      'a.mov',
      'a.flac',
      'pdf',
      '',
      undefined,
    ])
      assert.equal(whyNoPreview({ name, size }), undefined, name)
    for (const type of ['image/png', 'application/pdf', 'video/x-m4v', 'audio/x-wav', 'application/octet-stream', ''])
      assert.equal(whyNoPreview({ name: 'file', type, size }), undefined, type)
  })

  it('says before it is read that a file is too large, of a film later than of a document', () => {
    const why = (name: string, bytes: number, type?: string) => whyNoPreview({ name, type, size: bytes })
    assert.equal(why('a.pdf', MAX_IMAGE_BYTES), undefined)
    assert.equal(why('a.pdf', MAX_IMAGE_BYTES + 1), 'too_large')
    assert.equal(why('a.pdf', MAX_IMAGE_BYTES + 1, 'video/mp4'), 'too_large')
    assert.equal(why('a.mp4', MAX_MEDIA_BYTES), undefined)
    assert.equal(why('file', MAX_MEDIA_BYTES, 'video/mp4'), undefined)
    assert.equal(why('a.mp4', MAX_MEDIA_BYTES + 1), 'too_large')
  })
})

describe('mayHaveThumbnail', () => {
  it('is false for texts and sounds too', () => {
    for (const name of ['a.txt', 'a.mp3', 'a.docx']) assert.equal(mayHaveThumbnail({ name, size }), false, name)
    for (const type of ['text/plain', 'audio/ogg'])
      assert.equal(mayHaveThumbnail({ name: 'file', type, size }), false, type)
    for (const name of ['a.jpg', 'a.heic', 'a.pdf', 'a.webm', 'file']) assert.ok(mayHaveThumbnail({ name, size }), name)
  })
})
