import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { listen, overHttp } from '../testing/http.ts'
import { inWorld } from '../testing/world.ts'

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
