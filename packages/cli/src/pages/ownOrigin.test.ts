import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, createServer, Server } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { type OwnOrigin, takeOwnOrigin } from './ownOrigin.ts'

/** What another program of this machine does. */
async function taking(host: string, port: number): Promise<Server> {
  const server = createServer()
  server.listen({ host, port, ipv6Only: host === '::1' })
  await once(server, 'listening')
  return server
}

async function taken(t: TestContext, firstPort?: number): Promise<OwnOrigin> {
  const own = await takeOwnOrigin(firstPort)
  t.after(() => own.leave())
  return own
}

const portOf = (server: Server) => Number(Object(server.address()).port)

describe('the origin of local pages', () => {
  it('is a new name below localhost at each start', async (t) => {
    const [first, second] = [await taken(t), await taken(t)]
    for (const { origin, host } of [first, second]) {
      assert.match(origin, /^http:\/\/k[0-9a-f]{16}\.localhost:\d+$/)
      assert.equal(origin, `http://${host}`)
    }
    assert.notEqual(first.host.split(':')[0], second.host.split(':')[0])
  })

  for (const host of ['::1', '127.0.0.1'])
    it(`is at another port when a program has this one at ${host} alone, to which a browser may go first`, async (t) => {
      const other = await taking(host, 0)
      t.after(() => other.close())
      const own = await taken(t, portOf(other))
      assert.notEqual(new URL(own.origin).port, String(portOf(other)))
    })

  it('leaves its port to nothing else, at any address of loopback or of all', async (t) => {
    const own = await taken(t)
    const port = Number(new URL(own.origin).port)
    const refused = async (host: string) => {
      const other = await taking(host, port).catch((error: unknown) => error)
      if (other instanceof Server) other.close()
      assert.equal(Object(other).code, 'EADDRINUSE', host)
    }
    for (const host of ['::1', '127.0.0.1', '::', '0.0.0.0']) await refused(host)
    own.cut()
    for (const host of ['::1', '127.0.0.1']) await refused(host)
  })

  it('answers at both addresses, and at neither once it is cut', async (t) => {
    const own = await taken(t)
    own.answer((_, reply) => void reply.end('here'))
    const port = Number(new URL(own.origin).port)
    const asked = async (host: string) => {
      const socket = connect(port, host).setEncoding('utf8')
      socket.on('error', () => undefined)
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      let text = ''
      socket.on('data', (piece) => {
        text += piece
      })
      await once(socket, 'close')
      return text
    }
    for (const host of ['::1', '127.0.0.1']) assert.match(await asked(host), /here/)
    own.cut()
    for (const host of ['::1', '127.0.0.1']) assert.equal(await asked(host), '')
  })
  it('holds a line to each of its pages, which ends when it is cut, and to no other page', async (t) => {
    const own = await taken(t)
    own.answer((_, reply) => void reply.end())
    const port = Number(new URL(own.origin).port)
    const line = (path: string, host: string, origin: string) => {
      const headers = { host, origin, connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-key': 'eA==' }
      return request({ host: '127.0.0.1', port, path, headers, agent: false }).end()
    }
    const other = `http://127.0.0.1:${port}`
    for (const [path, host, origin] of [
      ['/v1/events', own.host, own.origin],
      ['/local/line', `127.0.0.1:${port}`, own.origin],
      ['/local/line', own.host, other],
      ['/local/line', own.host, 'null'],
    ] as const)
      await assert.rejects(once(line(path, host, origin), 'upgrade'), { code: 'ECONNRESET' })
    const [answer, socket] = await once(line('/local/line', own.host, own.origin), 'upgrade')
    assert.equal(answer.statusCode, 101)
    const ended = once(socket.resume(), 'close')
    own.cut()
    await ended
  })
})
