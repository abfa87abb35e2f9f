import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseSize, sizeText } from './byteSizes.ts'

describe('a size', () => {
  it('is read exactly, in bytes, powers of 1000 and powers of 1024', () => {
    for (const [text, bytes] of [
      ['0', 0],
      ['1048576', 1_048_576],
      ['7B', 7],
      ['10MiB', 10_485_760],
      ['5GB', 5_000_000_000],
      ['5 gb', 5_000_000_000],
      ['2tib', 2_199_023_255_552],
      ['9007199254740991', Number.MAX_SAFE_INTEGER],
      ['9007199254740992', undefined],
      ['10000PB', undefined],
      ['7iB', undefined],
      ['1.5GiB', undefined],
      ['10M', undefined],
      ['1 ', undefined],
      ['-1', undefined],
      ['', undefined],
    ] as const)
      assert.equal(parseSize(text), bytes, text)
  })

  it('is shown to people rounded down', () => {
    for (const [bytes, text] of [
      [0, '0 B'],
      [999, '999 B'],
      [1000, '1 kB'],
      [1024, '1 kB'],
      [1e9 - 1, '999.9 MB'],
      [1.5e9, '1.5 GB'],
      [Number.MAX_SAFE_INTEGER, '9 PB'],
    ] as const)
      assert.equal(sizeText(bytes), text)
  })
})
