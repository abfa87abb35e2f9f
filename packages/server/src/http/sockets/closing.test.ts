import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { listen, overHttp } from '../../testing/http.ts'
import { inWorld } from '../../testing/world.ts'

describe('the end of the server', () => {
  it(
    'does not wait for a connection without a request, before its first request or after',
    inWorld(async (world) => {
      const { app } = overHttp(world)
      const port = await listen(app)
      const agent = new Agent({ keepAlive: true })
      const [answer] = await once(get({ host: '127.0.0.1', port, path: '/v1/version', agent }), 'response')
      await once(answer.resume(), 'end')
      const silent = connect(port, '127.0.0.1')
      const closed = once(silent, 'close')
      await once(app.server, 'connection')
      await app.close()
      await closed
      assert.equal(app.server.listening, false)
      agent.destroy()
    }),
  )

  it(
    'waits for what is under way, answers what follows on its connection, and closes both',
    inWorld(async (world) => {
      const { app } = overHttp(world)
      const port = await listen(app)
      const begin =
        'POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{'
      const begun = async () => {
        const socket = connect(port, '127.0.0.1')
        socket.write(begin)
        await once(app.server, 'request')
        return socket
      }
      const [waiting, asking] = [await begun(), await begun()]
      let isOver = false
      const closed = app.close().then(() => {
        isOver = true
      })
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
      assert.equal(isOver, false)
      waiting.write('}')
      asking.write('}GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n')
      assert.match(await text(waiting), /^HTTP\/1\.1 422 /)
      assert.match(
        await text(asking),
        /^HTTP\/1\.1 422 .*HTTP\/1\.1 200 OK\r\nconnection: close\r\n.*\r\nx-content-type-options: /s,
      )
      await closed
    }),
  )
})

describe('what is no request', () => {
  it(
    'gets 400, alone and after a whole answer',
    inWorld(async (world) => {
      const { app } = overHttp(world)
      const port = await listen(app)
      const request = 'GET /v1/version HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
      const noRequest = 'no request\r\n\r\n'
      const alone = connect(port, '127.0.0.1')
      alone.write(noRequest)
      assert.match(await text(alone), /^HTTP\/1\.1 400 /)
      const socket = connect(port, '127.0.0.1')
      socket.write(request)
      const [first] = await once(socket, 'data')
      assert.match(String(first), /^HTTP\/1\.1 200 /)
      socket.write(noRequest)
      assert.match(await text(socket), /^HTTP\/1\.1 400 /)
      await app.close()
    }),
  )
})

describe('a connection', () => {
  it(
    'has time for a body of hours, 20 s for headers, and longer between requests than proxies keep one',
    inWorld(async (world) => {
      const { requestTimeout, headersTimeout, keepAliveTimeout } = overHttp(world).app.server
      assert.deepEqual([requestTimeout, headersTimeout, keepAliveTimeout], [0, 20_000, 130_000])
    }),
  )
})
