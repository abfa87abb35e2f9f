import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import zlib from 'node:zlib'
import { decoded } from './coded.ts'

const PAGE = Buffer.from('<!doctype html>'.repeat(20))
const [FIRST, SECOND] = [PAGE.subarray(0, 100), PAGE.subarray(100)]
const decode = (coding: string, body: Uint8Array, maxBytes = PAGE.length) =>
  Buffer.from(decoded({ headers: new Map([['content-encoding', [coding]]]), body }, maxBytes))

/** From Node 22.15 on. */
const zstd = 'zstdCompressSync' in zlib ? ([['zstd', zlib.zstdCompressSync]] as const) : []
const CODERS = [['br', zlib.brotliCompressSync], ['gzip', zlib.gzipSync], ...zstd] as const

/** RFC 1952, section 2.3: with an extra field, a name, a comment and a checksum of the header. */
function withFields(member: Buffer): Buffer {
  const fixed = Buffer.from(member.subarray(0, 10))
  fixed[3] = 0x1e
  const header = Buffer.concat([fixed, Buffer.from([2, 0, 7, 0]), Buffer.from('a name\0a comment\0')])
  const checksum = Buffer.alloc(2)
  checksum.writeUInt16LE(zlib.crc32(header) & 0xffff)
  return Buffer.concat([header, checksum, member.subarray(10)])
}

describe('decoded', () => {
  it('returns the bytes of one whole stream, up to a bound', () => {
    for (const [coding, encode] of CODERS) {
      assert.deepEqual(decode(coding, encode(PAGE)), PAGE)
      assert.throws(() => decode(coding, encode(PAGE), PAGE.length - 1), coding)
      assert.throws(() => decode(coding, encode(PAGE).subarray(0, -1)), coding)
    }
    assert.deepEqual(decode('GZIP ', withFields(zlib.gzipSync(PAGE))), PAGE)
    assert.deepEqual(decode('identity', PAGE), PAGE)
  })

  it('throws where browsers would read another page: of several streams, or behind the first', () => {
    for (const [coding, encode] of CODERS)
      for (const body of [
        [encode(FIRST), encode(SECOND)],
        [encode(PAGE), encode(Buffer.from('<script src=/other.js></script>'))],
        [encode(Buffer.alloc(0)), encode(PAGE)],
        [encode(PAGE), encode(Buffer.alloc(0))],
        [encode(PAGE), Buffer.from('\0<script>')],
        [encode(PAGE), Buffer.from('<script>')],
      ])
        assert.throws(() => decode(coding, Buffer.concat(body)), `${coding} ${Buffer.concat(body).toString('hex')}`)
    const wrong = Buffer.from(zlib.gzipSync(PAGE))
    wrong[wrong.length - 8] = (wrong.at(-8) ?? 0) ^ 1
    assert.throws(() => decode('gzip', wrong))
  })

  it('throws for codings that browsers read in several ways or do not ask for', () => {
    assert.throws(() => decode('deflate', zlib.deflateSync(PAGE)))
    assert.throws(() => decode('deflate', zlib.deflateRawSync(PAGE)))
    for (const coding of ['', 'none', 'br, gzip', 'dcb', 'x-gzip']) assert.throws(() => decode(coding, PAGE), coding)
    for (const body of ['', '\x1f\x8b\x08', '\x1f\x8b\x08\x08aaaaaaaaaaaa'])
      assert.throws(() => decode('gzip', Buffer.from(body, 'latin1')))
  })
})
