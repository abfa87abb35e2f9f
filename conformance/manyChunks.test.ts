/** A file of its own, because ten thousand requests take long and can run beside the others. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { expectAnswer, offsetOf } from './expect.ts'
import { connect } from './server.ts'
import { append, cancel, newLink, openSession } from './world.ts'

const MAX_CHUNKS = 10_000

const server = await connect()

// Covers: Chunks
describe('many chunks', () => {
  it('are answered 409 too_many_chunks after the ten thousandth of a small file', async () => {
    const session = await openSession(await newLink(server), randomBytes(MAX_CHUNKS + 2))
    for (let offset = 0; offset < MAX_CHUNKS; offset += 1)
      assert.equal((await append(session, offset, offset + 1)).status, 204)
    for (const end of [MAX_CHUNKS + 1, MAX_CHUNKS + 2]) {
      const reply = await append(session, MAX_CHUNKS, end)
      expectAnswer(reply, '409 upload.too_many_chunks')
      assert.equal(offsetOf(reply), MAX_CHUNKS)
    }
    expectAnswer(await append(session, 7, 8), '204', 'a repeat does not count')
    expectAnswer(await cancel(session), '204')
  })
})
