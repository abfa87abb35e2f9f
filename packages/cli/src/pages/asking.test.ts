import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createLine } from 'node:net'
import { describe, it } from 'node:test'
import { type Asker, createAsker, type Use } from './asking.ts'

async function asking(answer: RequestListener, work: (asker: Asker) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    await askingAt(port, work)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** What the other side of the line says to each request. Undefined ends a connection without an answer. */
async function askingLine(say: (asked: number) => string | undefined, work: (asker: Asker) => Promise<void>) {
  let asked = 0
  const server = createLine((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => {
      const said = say(asked++)
      if (said === undefined) socket.resetAndDestroy()
      else socket.write(said)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await askingAt((server.address() as AddressInfo).port, work)
  } finally {
    server.close()
  }
}

async function askingAt(port: number, work: (asker: Asker) => Promise<void>): Promise<void> {
  const asker = createAsker({
    baseUrl: `http://127.0.0.1:${port}`,
    userAgent: 'Browser/1.0',
    signal: new AbortController().signal,
  })
  try {
    await work(asker)
  } finally {
    asker.close()
  }
}
const QUESTION = { path: '/', coding: 'br', use: 'document', maxBytes: 1000 } as const

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

  it('is ambiguous where a browser could take other bytes for the body, and may have headers behind it', async () => {
    for (const [said, isAmbiguous, hasTrailers] of [
      ['1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', false, false],
      ['1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nLink: <a>\r\n\r\n', false, true],
      ['1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', false, false],
      // A browser takes the second for the page, with the extension.
      ['1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x="<script>"\r\nok\r\n0\r\n\r\n', true, false],
      ['1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', true, false],
    ] as const)
      await askingLine(
        () => `HTTP/${said}`,
        async (asker) => {
          const answer = await asker.ask(QUESTION)
          assert.deepEqual([answer.isAmbiguous, answer.hasTrailers], [isAmbiguous, hasTrailers], said)
          assert.equal(Buffer.from(answer.body).toString(), 'ok')
        },
      )
  })

  it('is missing where another protocol is offered instead', () =>
    askingLine(
      () => 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n',
      (asker) => assert.rejects(asker.ask(QUESTION), /cannot be reached.*status 101/s),
    ))

  it('is asked for once more if the server was closing the connection, and only then', () =>
    askingLine(
      (asked) => (asked === 1 || asked > 2 ? undefined : 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
      async (asker) => {
        assert.equal((await asker.ask(QUESTION)).status, 200)
        assert.equal((await asker.ask(QUESTION)).status, 200)
        await assert.rejects(asker.ask(QUESTION), /ECONNRESET/)
      },
    ))
})

describe('a question', () => {
  it('says what it is for, as browsers do', () =>
    asking(
      ({ headers }, reply) => reply.end(JSON.stringify(headers)),
      async (asker) => {
        const said = async (use: Use) =>
          JSON.parse(Buffer.from((await asker.ask({ ...QUESTION, use })).body).toString())
        const page = await said('document')
        assert.deepEqual(
          [page['sec-fetch-dest'], page['sec-fetch-mode'], page['sec-fetch-site'], page['sec-fetch-user']],
          ['document', 'navigate', 'none', '?1'],
        )
        assert.match(page.accept, /^text\/html,/)
        const worker = await said('serviceWorker')
        assert.deepEqual(
          [worker['service-worker'], worker['sec-fetch-dest'], worker['sec-fetch-site'], worker.accept],
          ['script', 'serviceworker', 'same-origin', '*/*'],
        )
        assert.equal(page['service-worker'], undefined)
      },
    ))
})
