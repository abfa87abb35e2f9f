import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { operations } from '@blindkeep/protocol/operations'
import { assertPrompt } from '../../../../testing/prompt.ts'
import { type Incoming, writeAnswer, writeRefusal } from './reply.ts'
import { bodyOf, READ_ON } from './sockets/body.ts'

/** What a client gets for a request of which one byte is missing. */
async function answered(
  write: (request: Incoming, reply: ServerResponse) => void,
  work: (answer: IncomingMessage) => Promise<void>,
): Promise<void> {
  const server = createServer((incoming, reply) => write(incoming as Incoming, reply)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sent = request({ host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': 2 } })
  sent.on('error', () => undefined).write('{')
  try {
    const [answer] = await once(sent, 'response')
    await work(answer)
  } finally {
    sent.destroy()
    server.closeAllConnections()
    server.close()
  }
}

describe('an event stream whose client does not read', () => {
  it('is cut when its signal aborts, and its source is left', async () => {
    const [stalled, left] = [new AbortController(), Promise.withResolvers<void>()]
    async function* events() {
      try {
        for (;;) yield Buffer.alloc(64 * 1024)
      } finally {
        left.resolve()
      }
    }
    const answer = { status: 200, events: events(), until: stalled.signal }
    const parts = { row: operations.events, id: '', answer, onCut: () => assert.fail() }
    await answered(
      (incoming, reply) => writeAnswer({ ...parts, request: incoming, reply }),
      async (stream) => {
        assert.equal(stream.headers.connection, 'close')
        stalled.abort()
        await left.promise
        await assert.rejects(once(stream.resume(), 'end'))
      },
    )
  })
})

describe('a refusal without a body', () => {
  it('leaves before the rest of its request is read, and no cache stores it', async () => {
    await assertPrompt(READ_ON.silentMs, async () => {
      await answered(
        (incoming, reply) =>
          writeRefusal({ id: '', reply, refusal: { refused: 'body_too_large' }, unfinished: bodyOf(incoming) }),
        async ({ statusCode, headers }) =>
          assert.deepEqual(
            [statusCode, headers['cache-control'], headers.connection, headers['content-length']],
            [413, 'no-store', 'close', '0'],
          ),
      )
    })
  })
})
