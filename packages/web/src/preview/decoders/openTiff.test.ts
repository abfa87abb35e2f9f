/** What a few bytes of a TIFF may claim, and what a page of it may have. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deflateSync } from 'node:zlib'
import { tiffOf } from '../../../e2e/documents.ts'
import { openTiff } from './openTiff.ts'

const page = { width: 10, height: 10, compression: 1, strip: new Uint8Array(100) }
const [SHORT, LONG] = [3, 4]

describe('a TIFF', () => {
  it('is drawn, also from a tile that is larger than its page', async () => {
    const tile = new Uint8Array(deflateSync(new Uint8Array(64 * 64).fill(255)))
    const place = tiffOf({ ...page, strip: tile }).length - tile.length
    const tiled = [
      { tag: 322, value: 64 },
      { tag: 323, value: 64 },
      { tag: 324, value: place + 4 * 12 },
      { tag: 325, value: tile.length },
    ]
    for (const file of [tiffOf(page), tiffOf({ ...page, compression: 8, strip: tile, more: tiled })]) {
      const opened = openTiff(file.buffer)
      assert.equal(opened.pages, 1)
      const { width, height } = await opened.draw(0, 10)
      assert.deepEqual([width, height], [10, 10])
    }
  })

  it('claims no more values than an honest one has, on a page and nested in it', () => {
    for (const type of [SHORT, LONG]) {
      const file = tiffOf({ ...page, more: [{ tag: 700, type, count: 5_000_000, value: 8 }] })
      assert.throws(() => openTiff(file.buffer), RangeError)
    }
    // Each of them reads this page again, and so on.
    const nested = tiffOf({ ...page, more: [{ tag: 330, count: 1, value: 8 }] })
    assert.equal(openTiff(nested.buffer).pages, 1)
  })

  it('has pages that end', () => {
    assert.throws(() => openTiff(tiffOf({ ...page, next: 8 }).buffer), RangeError)
  })

  it('has pixels of eight bytes at most, and tiles of as many pixels as a page', () => {
    const claims = [[{ tag: 277, value: 9 }], [{ tag: 277, type: 1, value: 9 }], [{ tag: 262, value: 32803 }]]
    const tiles = [
      { tag: 322, value: 60_000 },
      { tag: 323, value: 60_000 },
      { tag: 324, value: 8 },
      { tag: 325, value: 100 },
    ]
    for (const more of [...claims, tiles, tiles.map((each) => ({ ...each, value: 0 }))])
      assert.throws(() => openTiff(tiffOf({ ...page, more }).buffer).draw(0, 10), `${JSON.stringify(more)} was drawn`)
  })
})
