import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { type Asker, createAsker } from './asking.ts'

async function asking(answer: RequestListener, work: (asker: Asker) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const asker = createAsker({
    baseUrl: `http://127.0.0.1:${port}`,
    userAgent: 'Browser/1.0',
    signal: new AbortController().signal,
  })
  try {
    await work(asker)
  } finally {
    asker.close()
    server.closeAllConnections()
    server.close()
  }
}
const QUESTION = { path: '/', coding: 'br', isDocument: true, maxBytes: 1000 } as const

describe('an answer', () => {
  it('is what came over the line: hints before it, each header as often as it came, nothing followed', () =>
    asking(
      (request, reply) => {
        assert.equal(request.headers['user-agent'], 'Browser/1.0')
        reply.writeEarlyHints({ link: '</a.js>; rel=preload' })
        reply.writeHead(302, [
          ...['Location', '/elsewhere', 'Content-Security-Policy', 'one'],
          ...['content-security-policy', 'other', 'Content-Encoding', 'gzip'],
        ])
        reply.end('raw')
      },
      async (asker) => {
        const { status, headers, body, hasHints, isCut } = await asker.ask(QUESTION)
        assert.deepEqual([status, hasHints, isCut, Buffer.from(body).toString()], [302, true, false, 'raw'])
        assert.deepEqual(headers.get('content-security-policy'), ['one', 'other'])
      },
    ))

  it('is read up to a bound, even if it has no end', () =>
    asking(
      (_, reply) => {
        const write = (): void => {
          while (!reply.destroyed && reply.write(Buffer.alloc(10_000)));
        }
        reply.on('drain', write)
        write()
      },
      async (asker) => {
        const { body, isCut } = await asker.ask(QUESTION)
        assert.deepEqual([body.length, isCut], [1000, true])
      },
    ))
})
