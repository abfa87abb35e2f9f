import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { jsonInSlices, mapInSlices } from './slices.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const row = (number: number) => ({ number, name: `"${number}", ünïcode`, left: undefined, list: [number] })

/** Turns of the event loop that others had during `work`. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOver = true
  return turns
}

describe('a long list', () => {
  it('is what JSON.stringify gives, at every length around a slice', async () => {
    for (const count of [0, 1, 100, 101, 199, 200, 201, 1000]) {
      const rows = numbers(count).map(row)
      const body = { before: null, left: undefined, rows, short: [1], again: rows, more: false, last: undefined }
      const json = await jsonInSlices(body)
      assert.equal(typeof json === 'string', count <= 100)
      assert.equal(typeof json === 'string' ? json : Buffer.concat(json).toString(), JSON.stringify(body))
      assert.deepEqual(await mapInSlices(numbers(count), row), numbers(count).map(row))
    }
  })

  it('lets others in between its slices', async () => {
    assert.ok((await turnsDuring(() => mapInSlices(numbers(10_000), row))) >= 40)
    const body = { rows: numbers(10_000).map(row) }
    assert.ok((await turnsDuring(() => jsonInSlices(body))) >= 40)
  })
})
