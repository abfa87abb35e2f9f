import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeLine, decodeText, NotText } from './textFile.ts'

const TEXT = 'REGISTRATION=invite\nNAME=Büro 🗄\n'
const MARK = '\ufeff'

function utf16be(text: string): Uint8Array {
  return Buffer.from(text, 'utf16le').swap16()
}

describe('the text of a file', () => {
  it('is the same in UTF-8 and UTF-16, with marks and with line breaks of any kind', () => {
    for (const text of [TEXT, TEXT.replaceAll('\n', '\r\n'), TEXT.replaceAll('\n', '\r')]) {
      assert.equal(decodeText(Buffer.from(text)), TEXT)
      assert.equal(decodeText(Buffer.from(MARK + text)), TEXT)
      assert.equal(decodeText(Buffer.from(MARK + text, 'utf16le')), TEXT)
      assert.equal(decodeText(utf16be(MARK + text)), TEXT)
    }
    assert.equal(decodeText(Buffer.from(`${MARK}A=1\n${MARK}B=2\n`)), 'A=1\nB=2\n')
    assert.equal(decodeText(new Uint8Array()), '')
  })

  it('is refused when the bytes are no text', () => {
    for (const [bytes, why] of [
      [Buffer.from(TEXT, 'utf16le'), /zero bytes: if it is UTF-16/],
      [Buffer.from('a\0b'), /zero bytes/],
      [Buffer.from('caf\xe9', 'latin1'), /no text in UTF-8/],
      [Buffer.from([0xff, 0xfe, 0x41]), /no text in UTF-16LE/],
      [Buffer.from([0xfe, 0xff, 0xd8, 0x00]), /no text in UTF-16BE/],
      [Buffer.from('\u001b[31m'), /control characters/],
    ] as const)
      assert.throws(
        () => decodeText(bytes),
        (error) => error instanceof NotText && why.test(error.message),
      )
  })
})

describe('the one line of a file', () => {
  it('is without its line break, and is refused when there are more lines or lost characters', () => {
    for (const given of ['pass word', 'pass word\n', 'pass word\r\n', `${MARK}pass word\r\n`])
      assert.equal(decodeLine(Buffer.from(given)), 'pass word')
    assert.equal(decodeLine(Buffer.from(' spaces count ')), ' spaces count ')
    for (const given of ['one\ntwo', 'one\n\n', 'caf\ufffd'])
      assert.throws(() => decodeLine(Buffer.from(given)), NotText)
  })
})
