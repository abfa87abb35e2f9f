import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { until } from '../../../../../testing/until.ts'
import { listen, overHttp } from '../../testing/http.ts'
import { inWorld } from '../../testing/world.ts'
import type { SenderOf } from '../names/source.ts'
import { boundConnections, type ConnectionLimits } from './connections.ts'

const LIMITS: ConnectionLimits = { total: 4, ofSource: 100, pipelined: 3, stalledMs: 300 }
const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'

/** A bounded server, and a function that connects to it. */
async function bounded(
  answer: RequestListener,
  work: (open: () => Promise<Socket>) => Promise<void>,
  limits: Partial<ConnectionLimits> = {},
  senderOf?: SenderOf,
): Promise<void> {
  const server = createServer(answer)
  boundConnections(server, { ...LIMITS, ...limits }, senderOf)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  try {
    await work(async () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      sockets.push(socket)
      await Promise.all([once(socket, 'connect'), once(server, 'connection')])
      return socket
    })
  } finally {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
  }
}

/** Sends a request whose answer never comes. Resolves when the server has it. */
function busy(begun: Set<() => void>, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    begun.add(resolve)
    socket.write(REQUEST)
  })
}

describe('connections', () => {
  it('give way in the order of their age when they have no request, and are refused when all have one', async () => {
    const begun = new Set<() => void>()
    const never: RequestListener = () => {
      for (const resolve of begun) resolve()
      begun.clear()
    }
    await bounded(never, async (open) => {
      const first = await open()
      await busy(begun, first)
      const idle = [await open(), await open(), await open()]
      const closed = once(idle[0] ?? first, 'close')
      const newcomer = await open()
      await closed
      for (const socket of [newcomer, ...idle.slice(1)]) await busy(begun, socket)
      const refused = await open()
      refused.resume()
      await once(refused, 'close')
      assert.equal(first.destroyed, false)
      assert.equal(newcomer.destroyed, false)
    })
  })

  it('have a share for each network, of which an IPv6 subscriber has only one', async () => {
    const sources = ['2001:db8:1:1::/64', '2001:db8:1:2::/64', '2001:db8:1:3::/64', '2001:db8:2:1::/64']
    const senderOf: SenderOf = () => ({ source: sources.shift(), address: undefined, isTrustedProxy: false })
    await bounded(
      () => undefined,
      async (open) => {
        const sockets = [await open(), await open()]
        const refused = await open()
        refused.resume()
        await once(refused, 'close')
        sockets.push(await open())
        await new Promise(setImmediate)
        assert.deepEqual(
          sockets.map(({ destroyed }) => destroyed),
          [false, false, false],
        )
      },
      { ofSource: 2 },
      senderOf,
    )
  })

  it('of a proxy bring at most a share of unfinished requests of one network', async () => {
    const begun = new Set<() => void>()
    const replies: ServerResponse[] = []
    const never: RequestListener = (_request, reply) => {
      replies.push(reply)
      for (const resolve of begun) resolve()
      begun.clear()
    }
    const networks = [1, 1, 1, 2, 1, 1]
    const senderOf: SenderOf = ({ headers }) => ({
      source: headers.host === undefined ? undefined : `2001:db8:${networks.shift()}:1::/64`,
      address: undefined,
      isTrustedProxy: true,
    })
    await bounded(
      never,
      async (open) => {
        const refused = async () => {
          const socket = await open()
          socket.write(REQUEST)
          const [answer] = await once(socket, 'data')
          assert.match(
            String(answer),
            /^HTTP\/1\.1 429 .*\r\nRetry-After: 5\r\n.*\r\nContent-Security-Policy: default-src 'none'; /s,
          )
          await once(socket, 'close')
        }
        const first = await open()
        for (const socket of [first, await open()]) await busy(begun, socket)
        await refused()
        const elsewhere = await open()
        await busy(begun, elsewhere)
        const [reply] = replies
        const ended = reply && once(reply, 'close')
        first.destroy()
        await ended
        await busy(begun, await open())
        await refused()
        assert.equal(elsewhere.destroyed, false)
      },
      { total: 100, ofSource: 2 },
      senderOf,
    )
  })

  it(
    'of a proxy do nothing of a request that they refuse',
    inWorld(async (world) => {
      const { app, signIn, ask } = overHttp(world, { trustedProxies: ['127.0.0.1'] })
      const { authorization } = await signIn()
      const port = await listen(app)
      const sockets: Socket[] = []
      const send = (begin: string, headers: readonly string[], body = ''): Socket => {
        const proxied = [begin, 'host: localhost', 'x-forwarded-for: 203.0.113.7']
        const socket = connect(port, '127.0.0.1').on('error', () => undefined)
        socket.setEncoding('latin1').write([...proxied, ...headers, '', body].join('\r\n'))
        sockets.push(socket)
        return socket
      }
      const logout = async () => {
        const [answer] = await once(send('POST /v1/auth/logout HTTP/1.1', [`authorization: ${authorization}`]), 'data')
        return String(answer).split('\r\n')[0]
      }
      try {
        let asked = 0
        app.server.on('request', () => asked++)
        for (let count = 0; count < 512; count += 1)
          send('POST /v1/auth/login HTTP/1.1', ['content-type: application/json', 'content-length: 4000'], '{')
        await until(() => asked === 512)
        assert.equal(await logout(), 'HTTP/1.1 429 Too Many Requests')
        assert.equal((await ask({ url: '/v1/albums', headers: { authorization } })).statusCode, 200)
      } finally {
        for (const socket of sockets) socket.destroy()
        await app.close()
      }
    }),
  )

  it('end when they send many requests ahead', async () => {
    await bounded(
      () => undefined,
      async (open) => {
        const modest = await open()
        modest.write(REQUEST.repeat(3))
        const greedy = await open()
        greedy.resume()
        greedy.write(REQUEST.repeat(4))
        await once(greedy, 'close')
        assert.equal(modest.destroyed, false)
      },
    )
  })

  it('end when their client takes nothing of an answer, and not while it takes some', async () => {
    const endless: RequestListener = (_request, reply) => {
      const more = () => {
        while (!reply.destroyed && reply.write(Buffer.alloc(64 * 1024)));
      }
      reply.on('drain', more)
      more()
    }
    await bounded(endless, async (open) => {
      const reader = await open()
      reader.resume().write(REQUEST)
      const stalled = await open()
      stalled.pause().write(REQUEST)
      // A paused socket sees the end only through an error of its own writes.
      await new Promise<void>((resolve) => {
        const poke = setInterval(() => stalled.write('x'), 50)
        stalled.once('error', () => {
          clearInterval(poke)
          resolve()
        })
      })
      assert.equal(reader.destroyed, false)
    })
  })

  it(
    'are closed without a word when their first request is late: a browser would take an answer as that of its next request',
    inWorld(async (world) => {
      const { app } = overHttp(world)
      const port = await listen(app)
      const heard = async (sent: string) => {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined)
        let answer = ''
        socket.setEncoding('latin1').on('data', (text: string) => {
          answer += text
        })
        socket.write(sent)
        await once(socket, 'close')
        return answer.split('\r\n')[0]
      }
      try {
        assert.equal(await heard('no request\r\n\r\n'), 'HTTP/1.1 400 Bad Request')
        app.server.headersTimeout = 1
        assert.deepEqual(await Promise.all([heard(''), heard('GET / HT')]), ['', ''])
      } finally {
        await app.close()
      }
    }),
  )
})
