import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { until } from '../../../../testing/until.ts'
import { listen, overHttp } from '../testing/http.ts'
import { inWorld, type World } from '../testing/world.ts'

/** Holds every list of albums until it is released. */
function heldLists({ rules: { albums } }: World) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { list } = albums
  const counts = { reading: 0, begun: 0 }
  const held = async (accountId: AccountId) => {
    counts.reading += 1
    counts.begun += 1
    await promise
    counts.reading -= 1
    return list(accountId)
  }
  Object.assign(albums, { list: held })
  return { counts, release: resolve }
}

describe('lists', () => {
  it(
    'of one account are read four at a time; those of others and short answers do not wait for them',
    inWorld(async (world) => {
      const { ask, signIn } = overHttp(world)
      const [one, other] = [await signIn(), await signIn()]
      const { counts, release } = heldLists(world)
      const albumsOf = ({ authorization }: typeof one) => ask({ url: '/v1/albums', headers: { authorization } })
      const asked = Array.from({ length: 12 }, () => albumsOf(one))
      await until(() => counts.reading === 4)
      const { authorization } = one
      assert.equal((await ask({ url: '/v1/quota', headers: { authorization } })).statusCode, 200)
      const elsewhere = albumsOf(other)
      await until(() => counts.reading === 5)
      assert.equal(counts.begun, 5)
      release()
      const answers = await Promise.all([...asked, elsewhere])
      assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]))
    }),
  )

  it(
    'of one account that would wait beside 512 others are refused for the moment',
    inWorld(async (world) => {
      const { ask, signIn } = overHttp(world)
      const { authorization } = await signIn()
      const { counts, release } = heldLists(world)
      const list = () => ask({ url: '/v1/albums', headers: { authorization } })
      const asked = Array.from({ length: 4 + 512 + 1 }, list)
      const refused = await Promise.race(asked)
      assert.deepEqual(
        [refused.statusCode, refused.json().code, refused.headers['retry-after'], counts.reading],
        [429, 'error.request.rate_limited', '1', 4],
      )
      release()
      const answers = await Promise.all([...asked, list()])
      const others = answers.filter((answer) => answer !== refused)
      assert.deepEqual(new Set(others.map(({ statusCode }) => statusCode)), new Set([200]))
    }),
  )

  it(
    'that wait are not read for a client that has left',
    inWorld(async (world) => {
      const { app, ask, signIn } = overHttp(world)
      const { authorization } = await signIn()
      const { counts, release } = heldLists(world)
      const port = await listen(app)
      let ended = 0
      app.server.on('request', (_request, reply) => reply.once('close', () => ended++))
      try {
        const asked = Array.from({ length: 4 }, () => ask({ url: '/v1/albums', headers: { authorization } }))
        await until(() => counts.reading === 4)
        const leaving = connect(port, '127.0.0.1')
        leaving.write(`GET /v1/albums HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\n\r\n`)
        await once(app.server, 'request')
        leaving.destroy()
        await until(() => ended === 1)
        release()
        await Promise.all(asked)
        assert.equal((await ask({ url: '/v1/albums', headers: { authorization } })).statusCode, 200)
        assert.equal(counts.begun, 5)
      } finally {
        await app.close()
      }
    }),
  )

  it(
    'that have waited are not read for a session that has ended meanwhile',
    inWorld(async (world) => {
      const { ask, signIn } = overHttp(world)
      const { authorization } = await signIn()
      const { counts, release } = heldLists(world)
      const list = () => ask({ url: '/v1/albums', headers: { authorization } })
      const reading = Array.from({ length: 4 }, list)
      await until(() => counts.reading === 4)
      const waiting = list()
      // Answered after the list has begun to wait.
      assert.equal((await ask({ url: '/v1/quota', headers: { authorization } })).statusCode, 200)
      assert.equal((await ask({ url: '/v1/auth/logout', method: 'POST', headers: { authorization } })).statusCode, 204)
      release()
      await Promise.all(reading)
      assert.equal((await waiting).statusCode, 401)
      assert.equal(counts.begun, 4)
    }),
  )
})
