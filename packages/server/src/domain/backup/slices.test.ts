import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, inPieces } from '../../testing/guest.ts'
import { slicesOf } from './slices.ts'

async function read(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

describe('the slices of a body', () => {
  for (const [size, max, pieceBytes] of [
    [10, 4, 3],
    [12, 4, 4],
    [12, 4, 100],
    [1, 4, 1],
    [9, 3, 2],
  ] as const)
    it(`give ${size} bytes back in order, at most ${max} each, from pieces of ${pieceBytes}`, async () => {
      const content = bytes(size)
      const found: Buffer[] = []
      for (const { offset, length, body } of slicesOf(inPieces(content, pieceBytes), size, max)) {
        assert.equal(offset, Buffer.concat(found).length)
        const slice = await read(body)
        assert.equal(slice.length, length)
        assert.ok(length <= max)
        found.push(slice)
      }
      assert.deepEqual(new Uint8Array(Buffer.concat(found)), content)
    })

  it('pass on what the body throws at its end, also right after the last byte', async () => {
    async function* failing() {
      yield bytes(8)
      throw new Error('damaged')
    }
    const outcomes: unknown[] = []
    for (const { body } of slicesOf(failing(), 8, 4))
      outcomes.push(
        await read(body).then(
          ({ length }) => length,
          (error: Error) => error.message,
        ),
      )
    assert.deepEqual(outcomes, [4, 'damaged'])
  })
})
