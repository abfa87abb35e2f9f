import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mayHavePreview } from './mayHavePreview.ts'

describe('mayHavePreview', () => {
  it('is false for a name or a type that has no preview', () => {
    for (const name of ['plan.pdf', 'FILM.MP4', 'letter.docx', 'a.tar.gz', 'IMG_1.HEIC'])
      assert.equal(mayHavePreview(name, undefined), false, name)
    for (const type of ['video/mp4', 'application/pdf', 'audio/ogg', 'application/vnd.oasis.opendocument.text'])
      assert.equal(mayHavePreview('file', type), false, type)
  })

  it('is true for pictures, texts and everything unknown', () => {
    for (const name of ['a.png', 'a.txt', 'a.md', 'a.pdf.txt', 'a.ts', 'pdf', '', undefined])
      assert.equal(mayHavePreview(name, undefined), true, name)
    for (const type of ['image/png', 'text/plain', 'application/json', 'application/octet-stream', ''])
      assert.equal(mayHavePreview('file', type), true, type)
  })
})
