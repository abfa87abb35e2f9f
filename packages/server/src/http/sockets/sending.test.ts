import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sendPieces } from './sending.ts'

const PIECE = 300_000

/** Pieces of `bytes` in one memory, which each piece overwrites. `ended` resolves when the reader has left. */
function reusing(bytes: Uint8Array, failAt = Number.POSITIVE_INFINITY) {
  const left = Promise.withResolvers<void>()
  const memory = Buffer.alloc(PIECE)
  async function* read() {
    try {
      for (let start = 0; start < bytes.length; start += PIECE) {
        if (start >= failAt) throw new Error('unreadable')
        const piece = bytes.subarray(start, start + PIECE)
        memory.set(piece)
        yield memory.subarray(0, piece.length)
      }
    } finally {
      left.resolve()
    }
  }
  return { pieces: read(), left: left.promise }
}

/** Answers one request with `pieces`. */
async function answered(
  pieces: AsyncIterable<Uint8Array>,
  length: number,
  work: (answer: IncomingMessage, sent: Promise<void>) => Promise<void>,
): Promise<void> {
  const sending = Promise.withResolvers<void>()
  // Some tests expect a failure later.
  sending.promise.catch(() => undefined)
  const server = createServer((_, reply) => {
    reply.writeHead(200, { 'Content-Length': length })
    sending.resolve(sendPieces(reply, pieces))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  try {
    const [answer]: IncomingMessage[] = await once(request, 'response')
    assert.ok(answer)
    await work(answer, sending.promise)
  } finally {
    request.destroy()
    server.closeAllConnections()
    server.close()
  }
}

describe('pieces of an answer', () => {
  it('arrive whole at a slow client although each one overwrites the one before', async () => {
    const bytes = randomBytes(20 * PIECE + 7)
    const { pieces, left } = reusing(bytes)
    await answered(pieces, bytes.length, async (answer, sent) => {
      const arrived: Buffer[] = []
      for await (const piece of answer) {
        arrived.push(piece)
        if (arrived.length % 10 === 0) await wait(5)
      }
      assert.ok(Buffer.concat(arrived).equals(bytes))
      await Promise.all([sent, left])
    })
  })

  it('that cannot be read cut the connection, and the failure is reported', async () => {
    const bytes = randomBytes(4 * PIECE)
    await answered(reusing(bytes, 2 * PIECE).pieces, bytes.length, async (answer, sent) => {
      answer.on('error', () => undefined).resume()
      await assert.rejects(sent, /unreadable/)
      if (!answer.closed) await new Promise((resolve) => answer.once('close', resolve))
      assert.equal(answer.complete, false)
    })
  })

  it('are left by a client that disconnects: the reader ends, and nothing failed', async () => {
    const bytes = Buffer.alloc(400 * PIECE)
    const { pieces, left } = reusing(bytes)
    await answered(pieces, bytes.length, async (answer, sent) => {
      await wait(50)
      answer.destroy()
      await Promise.all([sent, left])
    })
  })
})
