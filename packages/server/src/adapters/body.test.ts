import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readBody } from './body.ts'

const never = new AbortController().signal

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  assert.ok(typeof collect === 'function')
  collect()
}

describe('the reader of a body', () => {
  it('keeps no piece that its caller no longer uses', async () => {
    const given: WeakRef<Uint8Array>[] = []
    async function* body() {
      for (let count = 0; count < 200; count += 1) {
        const piece = new Uint8Array(1024)
        given.push(new WeakRef(piece))
        yield piece
      }
    }
    const reader = readBody(body(), never)
    for (let count = 0; count < 200; count += 1) assert.equal((await reader.next())?.length, 1024)
    // The body has not ended: a long chunk is in this state most of the time.
    await new Promise(setImmediate)
    collectGarbage()
    const left = given.filter((piece) => piece.deref() !== undefined).length
    reader.leave()
    assert.ok(left <= 2, `${left} of 200 pieces are kept`)
  })

  it('stops waiting with the reason of the signal, and ends the body', async () => {
    const abort = new AbortController()
    const ended = Promise.withResolvers<void>()
    const waiting = {
      next: () => new Promise<never>(() => undefined),
      return: async () => {
        ended.resolve()
        return { done: true as const, value: undefined }
      },
    }
    const reader = readBody({ [Symbol.asyncIterator]: () => waiting }, abort.signal)
    const next = assert.rejects(reader.next(), /enough/)
    abort.abort(new Error('enough'))
    await next
    await assert.rejects(reader.next(), /enough/)
    reader.leave()
    await ended.promise
  })
})
