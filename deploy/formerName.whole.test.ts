/**
 * The former name of a server that has moved, at real proxies: beside the present one in the sample that leads to the
 * server, and on a machine that has nothing but the former name.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { moveServer, reachedAt } from '../testing/moveServer.ts'
import { newOwner } from '../testing/people.ts'
import { freePort, type RunningServer, startServer } from '../testing/startServer.ts'
import { isInstalled } from './installed.ts'
import { FORMER_PROXIES, PROXIES, type RunningProxy, startProxy } from './proxies.ts'

const MOVES = '/.well-known/service/moves'
const ID = '0'.repeat(32)
const OPENED = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'none' }

interface World {
  readonly server: RunningServer
  readonly proxy: RunningProxy
  /** Where the server is now. */
  readonly present: string
  at(path: string, method?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Wish {
  readonly kind: (typeof PROXIES)[number]
  /** The former name, and whether the proxy has only that one. */
  readonly name: string
  readonly isAlone: boolean
}

for (const kind of PROXIES)
  describe(`${kind.name} with a former name beside the present one`, () => {
    it('leads both to the server, which answers each as what it is', async (t) => {
      const world = await createWorld(t, { kind, name: 'old.localhost', isAlone: false })
      if (world === undefined) return
      await leadsPagesOn(world)
      await refusesTheRest(world)
      await servesMoves(world)
      const owner = await newOwner(world.present, reachedAt(world.present, world.server))
      assert.equal((await owner.inbox()).length, 0)
    })
  })

for (const kind of FORMER_PROXIES)
  describe(`${kind.name} with a former name alone`, () => {
    it('leads pages on, passes the statements of moves, refuses the rest, and logs no path', async (t) => {
      const world = await createWorld(t, { kind, name: 'localhost', isAlone: true })
      if (world === undefined) return
      await leadsPagesOn(world)
      await refusesTheRest(world)
      await servesMoves(world)
      for (const path of [
        '//evil.example/u/x',
        '/u/x/../../v/y',
        '/u/%0d%0aX:y',
        '/u/a%2f..%2f..',
        '/x/..//evil.example',
      ])
        assert.ok(((await world.at(path)).headers.location ?? world.present).startsWith(world.present), path)
      const secret = randomUUID()
      await world.at(`/u/${secret}`)
      await world.server.terminate()
      assert.ok(Number((await world.at(`${MOVES}?${secret}`)).status) >= 500)
      assert.ok(!(await world.proxy.log()).includes(secret), await world.proxy.log())
    })
  })

async function createWorld(t: TestContext, { kind, name, isAlone }: Wish): Promise<World | undefined> {
  if (!isInstalled(kind.name, t) || !isInstalled('openssl', t)) return undefined
  const [port, serverPort, plainPort] = [await freePort(), await freePort(), await freePort()]
  const proxy = await startProxy(kind, { port, serverPort, plainPort, isBelow: false, formerName: name })
  t.after(() => proxy.stop())
  const env = { TRUST_PROXY: '127.0.0.1', REGISTRATION: 'open' }
  const publicUrl = `https://${name}:${port}`
  const server = await startServer({ port: serverPort, publicUrl, env })
  t.after(() => server.stop())
  // So that there is a name to move from.
  await newOwner(publicUrl, reachedAt(publicUrl, server))
  // A server leads no page to the machine of its reader. A proxy that has the former name alone may lead anywhere.
  const present = isAlone ? server.url : 'https://drop.example.org'
  await moveServer(server, present)
  return {
    server,
    proxy,
    present,
    async at(path, method = 'GET', headers = {}) {
      const sent = request({
        ...{ host: '127.0.0.1', port, servername: name, ca: proxy.certificate, agent: false },
        ...{ path, method, headers: { Host: `${name}:${port}`, ...headers } },
      })
      sent.end()
      const [answer] = await once(sent, 'response')
      return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
    },
  }
}

async function leadsPagesOn({ at, present }: World): Promise<void> {
  for (const [path, clears] of [
    ['/', true],
    [`/v/${ID}`, true],
    [`/u/${ID}`, false],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await at(path, method)
      assert.deepEqual([status, headers.location], [307, present + path], `${method} ${path}`)
      assert.equal(headers['clear-site-data'], undefined)
      assert.equal(headers['cache-control'], 'no-store')
    }
    const cleared = async (more: object) => (await at(path, 'GET', { ...OPENED, ...more })).headers['clear-site-data']
    assert.equal(await cleared({}), clears ? '"storage"' : undefined, path)
    assert.equal(await cleared({ 'Sec-Fetch-Site': 'same-origin' }), clears ? '"storage"' : undefined, path)
    for (const more of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Dest': 'image' },
      { 'Sec-Fetch-Mode': 'no-cors' },
    ])
      assert.equal(await cleared(more), undefined, JSON.stringify(more))
  }
}

async function refusesTheRest({ at, present }: World): Promise<void> {
  const headers = { Authorization: 'Bearer x' }
  for (const [method, path] of [
    ['GET', '/v1/quota'],
    ['POST', '/v1/auth/login'],
    ['GET', `/d/${ID}`],
    ['POST', `/u/${ID}`],
    ['POST', '/'],
    ['GET', '/assets/x.js'],
    ['GET', '/.well-known/service/server-info'],
  ] as const) {
    const { status, body, headers: answered } = await at(path, method, headers)
    assert.equal(status, 410, `${method} ${path}`)
    const { code, moved_to: movedTo } = JSON.parse(body)
    assert.deepEqual({ code, movedTo }, { code: 'error.server.moved', movedTo: present }, `${method} ${path}`)
    assert.equal(answered['content-type'], 'application/problem+json')
    assert.equal(answered['cache-control'], 'no-store')
    assert.equal(answered.location, undefined)
  }
}

async function servesMoves({ at, server }: World): Promise<void> {
  const { status, body } = await at(MOVES)
  assert.equal(status, 200)
  assert.equal(body, await (await fetch(`${server.url}${MOVES}`)).text())
}
