import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { concatBytes, equalBytes, fromBase64, fromHex, toBase64, toHex, uint32be, utf8, uuidBytes } from './bytes.ts'

describe('hex', () => {
  it('survives a round trip', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.deepEqual(fromHex(toHex(bytes)), bytes)))
  })

  it('is lowercase, and every other form is refused', () => {
    assert.equal(toHex(Uint8Array.of(0, 171, 255)), '00abff')
    for (const text of ['AB', 'a', '0x', 'ab\n', ' ab', 'g0', '٠٠']) assert.throws(() => fromHex(text), RangeError)
  })
})

describe('base64', () => {
  it('agrees with another encoder and survives a round trip', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        assert.equal(toBase64(bytes), Buffer.from(bytes).toString('base64'))
        assert.deepEqual(fromBase64(toBase64(bytes)), bytes)
      }),
    )
  })

  it('refuses other alphabets, missing padding, whitespace and unused bits that are not zero', () => {
    for (const text of ['_-8=', 'QQ', 'QQ=', 'QR==', 'QUJ=', 'QQ==\n', 'Q Q=', 'QQ==QQ==', '='])
      assert.throws(() => fromBase64(text), RangeError)
    assert.deepEqual(fromBase64('QQ=='), Uint8Array.of(65))
    assert.deepEqual(fromBase64(''), new Uint8Array(0))
  })
})

describe('bytes', () => {
  it('encode a text as UTF-8 without normalization, and replace a lone surrogate', () => {
    assert.equal(toHex(utf8('aé€😀')), '61c3a9e282acf09f9880')
    assert.equal(toHex(utf8('e\u0301')), '65cc81')
    assert.equal(toHex(utf8('\ud800')), 'efbfbd')
  })

  it('are equal only if each byte is', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        assert.equal(equalBytes(a, b), Buffer.compare(a, b) === 0)
        assert.equal(equalBytes(a, Uint8Array.from(a)), true)
      }),
    )
    assert.equal(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3)), false)
  })

  it('are joined in order', () => {
    assert.deepEqual(concatBytes(Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3)), Uint8Array.of(1, 2, 3))
  })

  it('encode a 32-bit number, most significant byte first, and refuse other numbers', () => {
    assert.equal(toHex(uint32be(1)), '00000001')
    assert.equal(toHex(uint32be(2 ** 32 - 1)), 'ffffffff')
    assert.equal(toHex(uint32be(0x12345678)), '12345678')
    for (const value of [-1, 2 ** 32, 1.5, Number.NaN]) assert.throws(() => uint32be(value), RangeError)
  })

  it('are the sixteen of a canonical UUID; other texts are refused', () => {
    assert.equal(toHex(uuidBytes('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f')), '0192e8a47c4e7d1a9b1e3f2a5c6d7e8f')
    for (const text of ['0192E8A4-7C4E-7D1A-9B1E-3F2A5C6D7E8F', '0192e8a47c4e7d1a9b1e3f2a5c6d7e8f', ''])
      assert.throws(() => uuidBytes(text), RangeError)
  })
})
