import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CHUNK_BYTES_MIN, chunkEnd, halved, sizingAfter, sizingBelow, startSizing } from './chunkSizing.ts'

const MIB = 1024 * 1024
const blobBytes = fc.integer({ min: 1, max: 2 ** 40 })
const suggested = fc.integer({ min: 1, max: 16 * MIB })

describe('the size of a chunk', () => {
  it('stays within its bounds for any events', () => {
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

  it('is at least 256 KiB unless the server suggests less', () => {
    fc.assert(
      fc.property(blobBytes, suggested, (blob, first) => {
        assert.ok(startSizing(blob, first).min >= Math.min(CHUNK_BYTES_MIN, first))
      }),
    )
  })

  it('cannot be raised beyond 16 MiB by a server', () => {
    assert.equal(startSizing(2 ** 40, Number.MAX_SAFE_INTEGER).max, 16 * MIB)
  })

  it('starts with one mebibyte, or less if the server suggests less, and grows on a fast connection to the suggested size', () => {
    let sizing = startSizing(100 * MIB, 6 * MIB)
    const sizes = [sizing.bytes]
    for (let chunks = 0; chunks < 4; chunks++) {
      sizing = sizingAfter(sizing, sizing.bytes, 100)
      sizes.push(sizing.bytes)
    }
    assert.deepEqual(sizes, [MIB, 2 * MIB, 4 * MIB, 6 * MIB, 6 * MIB])
    assert.equal(startSizing(100 * MIB, MIB / 2).bytes, MIB / 2)
  })

  it('starts larger for a blob that would otherwise need more chunks than a session accepts', () => {
    const { bytes, min } = startSizing(2 ** 40, 16 * MIB)
    assert.ok(bytes >= min && bytes > MIB)
  })

  it('does not grow after a short last chunk', () => {
    const sizing = halved(startSizing(100 * MIB, 8 * MIB))
    assert.equal(sizingAfter(sizing, 1000, 10).bytes, sizing.bytes)
    assert.equal(sizingAfter(sizing, sizing.bytes, 10).bytes, 2 * sizing.bytes)
  })
})

describe('the end of a chunk', () => {
  const segments = { first: 2210, each: MIB }

  it('is within the chunk, past its middle, and at the end of a segment if there is one', () => {
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
