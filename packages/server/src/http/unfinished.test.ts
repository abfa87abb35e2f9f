/** Answers to requests that still arrive. Proxies count an unanswered connection as a broken server. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { bytes, newLink, openDrop } from '../testing/guest.ts'
import { listen, overHttp } from '../testing/http.ts'
import { inWorld, type World } from '../testing/world.ts'
import { READ_ON } from './sockets/body.ts'

const MEGABYTE = 1024 * 1024
const JSON_LINE = 'content-type: application/json'

/** Opens connections to a server that listens, and closes everything at the end. */
async function listening(
  world: World,
  work: (open: () => Promise<Socket>, logged: readonly string[]) => Promise<void>,
): Promise<void> {
  const { app, logged } = overHttp(world)
  const port = await listen(app)
  const sockets: Socket[] = []
  try {
    await work(async () => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
      sockets.push(socket)
      await once(socket, 'connect')
      return socket
    }, logged)
  } finally {
    for (const socket of sockets) socket.destroy()
    await app.close()
  }
}

function head(target: string, lines: readonly string[]): string {
  return [`${target} HTTP/1.1`, 'host: localhost', ...lines, '', ''].join('\r\n')
}

/** The status lines that arrive until the server ends the connection. */
async function statuses(socket: Socket): Promise<readonly number[]> {
  let text = ''
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
  })
  socket.resume()
  await ending(socket, ['end', 'close'])
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

/** Bytes beyond the bound may meet a closed connection: an error with which Node's `once` would reject. */
function ending(socket: Socket, events: readonly ('end' | 'close')[]): Promise<void> {
  return new Promise((resolve) => {
    for (const event of events) socket.once(event, () => resolve())
  })
}

/** Time passes for the server as `pass` says. */
function mockTime(context: TestContext): (ms: number) => void {
  let passed = 0
  const now = performance.now.bind(performance)
  context.mock.method(performance, 'now', () => now() + passed)
  context.mock.timers.enable({ apis: ['setTimeout'] })
  return (ms) => {
    passed += ms
    context.mock.timers.tick(ms)
  }
}

describe('a request that is still arriving', () => {
  it('is answered 408 when its body is too slow, or as it deserves without its body, and then closed', async (context) => {
    await inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const uploadId = await openDrop(world, opaqueId, bytes(1000))
      const chunk = [
        'content-type: application/octet-stream',
        'x-service-offset: 0',
        `x-service-checksum: ${'0'.repeat(64)}`,
      ]
      const slow = [
        [head('POST /v1/auth/login', [JSON_LINE, 'content-length: 4096']), 408],
        [head('POST /v1/auth/login', [JSON_LINE, 'transfer-encoding: chunked']), 408],
        [head(`PATCH /d/${opaqueId}/${uploadId}`, [...chunk, 'content-length: 1000']), 408],
        [head('GET /v1/version', ['content-length: 10']), 408],
        [head('POST /v1/drops/links', [JSON_LINE, 'content-length: 4096']), 401],
        [head('POST /nothing', ['content-length: 10']), 404],
        [head('POST /v1/version', ['content-length: 10']), 405],
        [head('POST /v1/auth/login', ['content-length: 10']), 415],
      ] as const
      await listening(world, async (open, logged) => {
        const pass = mockTime(context)
        let waiting = slow.length
        const answers = slow.map(async ([text]) => {
          const socket = await open()
          const answered = statuses(socket)
          socket.write(text)
          return answered.finally(() => waiting--)
        })
        // Time passes as long as an answer is missing: a request may reach its wait late on a busy machine.
        while (waiting > 0) {
          for (let rest = 0; rest < 20; rest++) await new Promise(setImmediate)
          pass(1_000)
        }
        assert.deepEqual(
          await Promise.all(answers),
          slow.map(([, status]) => [status]),
        )
        assert.equal(logged.filter((line) => line.startsWith('["answered"')).length, slow.length)
      })
    })()
  })

  it(
    'is answered 413 to a client that reads only when it has sent everything',
    inWorld(async (world) => {
      await listening(world, async (open) => {
        for (const lines of [[`content-length: ${3 * MEGABYTE}`], ['transfer-encoding: chunked']]) {
          const socket = (await open()).pause()
          socket.write(head('POST /v1/auth/login', [JSON_LINE, ...lines]))
          const isChunked = lines[0]?.startsWith('transfer') === true
          for (let count = 0; count < 48; count++) {
            const piece = Buffer.alloc(MEGABYTE / 16, ' ')
            const framed = isChunked ? Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]) : piece
            await new Promise((resolve) => socket.write(framed, resolve))
          }
          if (isChunked) socket.write('0\r\n\r\n')
          assert.deepEqual(await statuses(socket), [413], lines.join())
        }
      })
    }),
  )

  it(
    'is read no further than the bound after its answer',
    inWorld(async (world) => {
      await listening(world, async (open) => {
        const socket = await open()
        const answered = statuses(socket)
        socket.write(head('POST /v1/auth/login', [JSON_LINE, `content-length: ${1024 * MEGABYTE}`]))
        const [piece, closed] = [Buffer.alloc(MEGABYTE, ' '), ending(socket, ['close'])]
        while (!socket.destroyed && socket.bytesWritten < 8 * READ_ON.bytes)
          await Promise.race([new Promise((resolve) => socket.write(piece, resolve)), closed])
        assert.deepEqual(await answered, [413])
        assert.ok(socket.bytesWritten < 4 * READ_ON.bytes, String(socket.bytesWritten))
      })
    }),
  )
})

describe('what is no HTTP', () => {
  const GOOD = head('GET /v1/version', [])

  it(
    'is answered on a new connection and on a used one, and never within another answer',
    inWorld(async (world) => {
      await listening(world, async (open) => {
        const bad = [
          ['nonsense\r\n\r\n', 400],
          [`BREW / HTTP/1.1\r\nhost: localhost\r\n\r\n`, 400],
          [head('GET /v1/version', ['x: a\u0001b']), 400],
          [head('GET /v1/version', [`x: ${'x'.repeat(70_000)}`]), 431],
          [head('CONNECT localhost:1', []), 400],
        ] as const
        for (const [text, status] of bad)
          for (const before of ['', GOOD]) {
            const socket = await open()
            const answered = statuses(socket)
            if (before !== '') {
              socket.write(before)
              await once(socket, 'data')
              await new Promise(setImmediate)
            }
            socket.write(text)
            assert.deepEqual(
              await answered,
              before === '' ? [status] : [200, status],
              JSON.stringify(text.slice(0, 30)),
            )
          }
      })
    }),
  )

  it(
    'in a body is answered 400',
    inWorld(async (world) => {
      await listening(world, async (open) => {
        const socket = await open()
        const answered = statuses(socket)
        socket.write(`${head('POST /v1/auth/login', [JSON_LINE, 'transfer-encoding: chunked'])}zz\r\n`)
        assert.deepEqual(await answered, [400])
      })
    }),
  )

  it('is closed when its sender stays, without reading more than the bound', async (context) => {
    await inWorld(async (world) => {
      await listening(world, async (open) => {
        const pass = mockTime(context)
        const silent = await open()
        const closed = new Promise((resolve) => silent.once('close', resolve))
        silent.resume().write('nonsense\r\n\r\n')
        await once(silent, 'end')
        pass(READ_ON.silentMs)
        // Its own side is open until it learns of the end.
        while (!silent.destroyed) await new Promise((resolve) => silent.write('x', resolve))
        await closed
      })
    })()
  })
})
