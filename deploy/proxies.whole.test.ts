/**
 * Each sample of a proxy in front of a real server: TLS, an upload, live events, limits by address, what its log has,
 * and a path below the origin. `LARGE_BYTES`: of the upload.
 */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import tls from 'node:tls'
import type { Owner } from '@blindkeep/client/owner'
import { newOwner, openedDrops, sendFile } from '../testing/people.ts'
import { assertPrompt } from '../testing/prompt.ts'
import { provedBody } from '../testing/proving.ts'
import { freePort, type RunningServer, startServer } from '../testing/startServer.ts'
import { until } from '../testing/until.ts'
import { isInstalled } from './installed.ts'
import { PROXIES, type RunningProxy, startProxy } from './proxies.ts'

/** Several chunks, and more than any buffer of a proxy. */
const LARGE_BYTES = Number(process.env.LARGE_BYTES ?? 24_000_000)
/** `CHUNK_BYTES_SUGGESTED` */
const CHUNK_BYTES = 8 * 1024 * 1024
/** A proxy that buffers holds an event back until the stream ends, which is minutes later. */
const MAX_EVENT_MS = 5_000
const LOGIN_TRIES = 3
/** The server's limit of one account is 16. */
const STREAMS = 20

const STRANGER_CONNECTIONS = 900
/** A proxy without a free connection does not answer before the stranger's requests are given up, after a minute. */
const MAX_ANSWER_MS = 20_000

interface World {
  /** The server's public address, at the proxy. */
  readonly url: string
  readonly server: RunningServer
  readonly proxy: RunningProxy
}

type Kind = (typeof PROXIES)[number]

for (const kind of PROXIES)
  describe(`${kind.name}, as deploy/proxy configures it`, () => {
    it('carries an upload, events as they happen, and the addresses of clients, also beside 900 connections that one stranger keeps open; its log has no paths', async (t) => {
      const world = await createWorld(t, kind, false)
      if (world === undefined) return
      const owner = await newOwner(world.url)
      await carriesAnUpload(world, owner)
      await carriesEvents(owner)
      await endsStreams(world, owner)
      await refusesUnsealed(world, kind)
      await limitsByAddress(world)
      await servesBesideStranger(t, world)
      await logsNoPaths(world)
    })

    it('serves Blindkeep below a path', async (t) => {
      const world = await createWorld(t, kind, true)
      if (world === undefined) return
      assert.ok(world.url.endsWith('/drop'))
      const owner = await newOwner(world.url)
      const { url } = await owner.createLink({})
      assert.ok(url.startsWith(`${world.url}/`), url)
      await sendFile(url, randomBytes(100_000))
      assert.equal((await openedDrops(owner)).length, 1)
      await refusesUnsealed(world, kind)
      const page = await fetch(`${world.url}/`)
      const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? []
      assert.equal((await fetch(new URL(script, `${world.url}/`))).status, 200, script)
    })
  })

async function createWorld(t: TestContext, kind: Kind, isBelow: boolean): Promise<World | undefined> {
  if (!isInstalled(kind.name, t) || !isInstalled('openssl', t)) return undefined
  const [port, serverPort, plainPort] = [await freePort(), await freePort(), await freePort()]
  const proxy = await startProxy(kind, { port, serverPort, plainPort, isBelow })
  t.after(() => proxy.stop())
  tls.setDefaultCACertificates([...tls.getCACertificates('bundled'), proxy.certificate])
  const publicUrl = `https://localhost:${port}${isBelow ? '/drop' : ''}`
  const env = { TRUST_PROXY: '127.0.0.1', REGISTRATION: 'open', LOGIN_TRIES_PER_WINDOW: String(LOGIN_TRIES) }
  const server = await startServer({ port: serverPort, publicUrl, env })
  t.after(() => server.stop())
  return { url: publicUrl, server, proxy }
}

/** One stranger keeps open as many connections as they can. */
async function servesBesideStranger(t: TestContext, { url }: World): Promise<void> {
  const port = Number(new URL(url).port)
  const sockets = Array.from({ length: STRANGER_CONNECTIONS }, () =>
    tls
      .connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false })
      .on('error', () => undefined),
  )
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  // Half a request: a proxy may close what has sent nothing in favour of what is new.
  for (const socket of sockets) socket.resume().write('GET / HTTP/1.1\r\nHost: loc')
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'secureConnect'), once(socket, 'close')])))
  // On a connection of its own.
  const signal = AbortSignal.timeout(MAX_ANSWER_MS)
  const asked = request(`${url}/v1/version`, { family: 4, agent: false, signal }).end()
  const [answer] = await once(asked, 'response')
  answer.resume()
  assert.equal(answer.statusCode, 200)
}

/** In chunks as the server suggests them: a client halves them for a proxy that refuses them. */
async function carriesAnUpload({ url: base, server }: World, owner: Owner): Promise<void> {
  const content = randomBytes(LARGE_BYTES)
  const { url } = await owner.createLink({})
  assert.ok(url.startsWith(`${base}/`), url)
  await sendFile(url, content)
  assert.equal((await openedDrops(owner)).length, 1)
  const chunks = server.log().match(/"method":"PATCH"/g)?.length ?? 0
  assert.ok(chunks <= 2 * Math.ceil(LARGE_BYTES / CHUNK_BYTES), `${chunks} chunks`)
}

async function carriesEvents(owner: Owner): Promise<void> {
  const stop = AbortSignal.timeout(60_000)
  const { promise: isConnected, resolve: onConnected } = Promise.withResolvers<void>()
  const listening = owner.events({ signal: stop, onConnected: () => onConnected() })
  let next: Promise<unknown> | undefined = listening.next()
  await isConnected
  await assertPrompt(MAX_EVENT_MS, async () => {
    next ??= listening.next()
    await owner.createLink({})
    await next
    next = undefined
  })
  await listening.return()
}

/** A proxy that keeps reading for a client that has left would use up the account's streams. */
async function endsStreams({ url }: World, owner: Owner): Promise<void> {
  const isGiven = async () => {
    const stop = new AbortController()
    const headers = { Authorization: `Bearer ${owner.tokens().accessToken}`, Accept: 'text/event-stream' }
    const answer = await fetch(`${url}/v1/events`, { headers, signal: stop.signal })
    if (answer.ok) await answer.body?.getReader().read()
    stop.abort()
    return answer.ok
  }
  // The server learns of an end a moment later.
  for (let count = 0; count < STREAMS; count++) await until(isGiven, `stream ${count + 1}`)
}

/** Files from a browser without its service worker: the answer comes before the body, most of which is not sent. */
async function refusesUnsealed({ url, server }: World, { name }: Kind): Promise<void> {
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': 10_000_000 }
  const sent = request(`${url}/take/`, { method: 'POST', headers, family: 4, agent: false })
  sent.on('error', () => undefined)
  sent.write('plaintext of a photo'.repeat(1000))
  const [answer] = await once(sent, 'response')
  assert.equal(answer.statusCode, 405)
  assert.match(await text(answer), /^These files were not taken/)
  sent.destroy()
  const reached = /"method":"POST","route":"\/take\//.test(server.log())
  assert.equal(reached, name === 'traefik', 'Traefik passes bodies on as they come, without keeping them')
}

/** Clients of other addresses are not limited by the failures of one, whatever addresses it invents. */
async function limitsByAddress({ url }: World): Promise<void> {
  const email = `${randomUUID()}@example.org`
  const statuses: number[] = []
  for (let count = 0; count <= LOGIN_TRIES; count++) statuses.push(await wrongLogin(url, email, '127.0.0.2', count))
  assert.deepEqual(statuses, [...Array<number>(LOGIN_TRIES).fill(401), 429])
  assert.equal(await wrongLogin(url, email, '127.0.0.3', 0), 401)
}

async function wrongLogin(url: string, email: string, localAddress: string, count: number): Promise<number> {
  const body = JSON.stringify(await provedBody(url, '/v1/auth/login', { members: { email } }))
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'X-Forwarded-For': `198.51.100.${count + 1}`,
  }
  const sent = request(`${url}/v1/auth/login`, { method: 'POST', headers, localAddress, family: 4, agent: false })
  sent.end(body)
  const [answer] = await once(sent, 'response')
  await text(answer)
  return answer.statusCode
}

/** Not even when the server is away, which is an error. */
async function logsNoPaths({ url, server, proxy }: World): Promise<void> {
  const secret = randomUUID()
  await (await fetch(`${url}/u/${secret}`)).text()
  await server.terminate()
  const { status } = await fetch(`${url}/d/${secret}`)
  assert.ok(status >= 500, String(status))
  assert.ok(!(await proxy.log()).includes(secret), await proxy.log())
}
