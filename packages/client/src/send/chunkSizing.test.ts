import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CHUNK_BYTES_MIN, chunkEnd, halved, sizingAfter, sizingBelow, startSizing } from './chunkSizing.ts'

const MIB = 1024 * 1024
const blobBytes = fc.integer({ min: 1, max: 2 ** 40 })
const suggested = fc.integer({ min: 1, max: 16 * MIB })

describe('the size of a chunk', () => {
  it('stays between its bounds, whatever the line does', () => {
    const happening = fc.oneof(
      fc.constant('cut' as const),
      fc.record({ tookMs: fc.integer({ min: 0, max: 60_000 }) }),
      fc.constant('refused' as const),
    )
    fc.assert(
      fc.property(blobBytes, suggested, fc.array(happening), (blob, first, happenings) => {
        let sizing = startSizing(blob, first)
        for (const what of happenings) {
          if (what === 'cut') sizing = halved(sizing)
          else if (what === 'refused') sizing = sizingBelow(sizing, sizing.bytes) ?? sizing
          else sizing = sizingAfter(sizing, sizing.bytes, what.tookMs)
          assert.ok(sizing.min <= sizing.bytes && sizing.bytes <= sizing.max && sizing.max <= first)
        }
      }),
    )
  })

  it('never falls below 256 KiB unless the server suggests less', () => {
    fc.assert(
      fc.property(blobBytes, suggested, (blob, first) => {
        assert.ok(startSizing(blob, first).min >= Math.min(CHUNK_BYTES_MIN, first))
      }),
    )
  })

  it('is not a server’s to raise beyond 16 MiB', () => {
    assert.equal(startSizing(2 ** 40, Number.MAX_SAFE_INTEGER).max, 16 * MIB)
  })

  it('starts with one mebibyte, or less where the server suggests less, and grows with a fast line to what is suggested', () => {
    let sizing = startSizing(100 * MIB, 6 * MIB)
    const sizes = [sizing.bytes]
    for (let chunks = 0; chunks < 4; chunks++) {
      sizing = sizingAfter(sizing, sizing.bytes, 100)
      sizes.push(sizing.bytes)
    }
    assert.deepEqual(sizes, [MIB, 2 * MIB, 4 * MIB, 6 * MIB, 6 * MIB])
    assert.equal(startSizing(100 * MIB, MIB / 2).bytes, MIB / 2)
  })

  it('starts with as much as a blob needs that would else take more chunks than a session does', () => {
    const { bytes, min } = startSizing(2 ** 40, 16 * MIB)
    assert.ok(bytes >= min && bytes > MIB)
  })

  it('does not grow after a short last chunk, which tells nothing', () => {
    const sizing = halved(startSizing(100 * MIB, 8 * MIB))
    assert.equal(sizingAfter(sizing, 1000, 10).bytes, sizing.bytes)
    assert.equal(sizingAfter(sizing, sizing.bytes, 10).bytes, 2 * sizing.bytes)
  })
})

describe('the end of a chunk', () => {
  const segments = { first: 2210, each: MIB }

  it('is within the chunk, past its middle, and where a segment ends if one does there', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 40), fc.integer({ min: 1, max: 16 * MIB }), (from, bytes) => {
        const to = from + bytes
        const end = chunkEnd(from, to, segments)
        assert.ok(end > from && end <= to)
        assert.ok(end === to || (end - segments.first) % segments.each === 0)
        assert.ok(end - from >= bytes / 2)
      }),
    )
  })
})
