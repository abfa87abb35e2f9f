import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encode } from 'uqr'
import { qrCode } from './qrCode.ts'

const ADDRESS = `https://keep.example.org/u/${'3f'.repeat(16)}#${'Az0_'.repeat(16)}bc`
const BEGIN = '\u001b[38;5;16;48;5;231m'
const END = '\u001b[0m'

/** The modules that the half blocks of a code paint, row by row. */
function modulesOf(code: string): readonly (readonly boolean[])[] {
  return code.split('\n').flatMap((line) => {
    assert.ok(line.startsWith(BEGIN) && line.endsWith(END), 'each line names both of its colours, and ends them')
    const blocks = line.slice(BEGIN.length, -END.length)
    assert.match(blocks, /^[ ▄▀█]+$/)
    return ['▀█', '▄█'].map((dark) => [...blocks].map((block) => dark.includes(block)))
  })
}

describe('the QR code of an address', () => {
  it('paints every module within 80 columns, with four light ones on each side', () => {
    const code = qrCode(ADDRESS, 80)
    assert.ok(code)
    const rows = modulesOf(code)
    const { data } = encode(ADDRESS, { ecc: 'L', border: 0 })
    assert.ok(rows.every((row) => row.length === data.length + 8))
    assert.deepEqual(
      rows.slice(4, 4 + data.length).map((row) => row.slice(4, -4)),
      data,
    )
    const isLight = (row: readonly boolean[]) => !row.includes(true)
    assert.ok(rows.slice(0, 4).every(isLight) && rows.slice(4 + data.length).every(isLight))
    assert.ok(rows.length >= data.length + 8)
    assert.ok(rows.every((row) => isLight(row.slice(0, 4)) && isLight(row.slice(-4))))
  })

  it('is left out where it does not fit', () => {
    assert.equal(qrCode(ADDRESS, 40), undefined)
    assert.equal(qrCode('x'.repeat(5000), 1000), undefined)
  })
})
