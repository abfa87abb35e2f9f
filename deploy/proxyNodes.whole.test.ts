/**
 * Each sample of a proxy in front of two nodes: whatever strangers send, every honest request succeeds meanwhile, and a
 * frozen node is left out. The nodes are two servers of their own, because the requests here need no common data.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:https'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { freePort, type RunningServer, startServer } from '../testing/startServer.ts'
import { isInstalled } from './installed.ts'
import { nginxArguments, nodesFile, PROXIES, type RunningProxy, startProxy } from './proxies.ts'

const CHECK = fileURLToPath(new URL('proxy/nginx-nodes.sh', import.meta.url))
/** A body that brings nothing is given up after 10 s, and a proxy takes out for 10 s what it thinks broken. */
const ATTACK_MS = 14_000
const PAUSE_MS = 100
/** An honest request that waits longer has met a broken node. */
const MAX_MS = 3_000
/** Two looks at each of two nodes, one of which does not answer, and a reload: 15 s on a machine at rest. */
const MAX_NOTICE_MS = 60_000
const LARGE = Buffer.alloc(3 * 1024 * 1024, ' ')

interface Front {
  readonly name: string
  readonly program: (typeof PROXIES)[number]
  /** For nginx, in place of those that the check writes. */
  readonly nodeParameters?: string
}

const FRONTS: readonly Front[] = [
  ...PROXIES.map((program) => ({ name: program.name, program })),
  ...PROXIES.slice(0, 1).map((program) => ({
    name: `${program.name} with its own max_fails`,
    program,
    nodeParameters: 'max_fails=1',
  })),
]

const nodes: RunningServer[] = []

before(async () => {
  const env = { TRUST_PROXY: '127.0.0.1', LOGIN_TRIES_PER_WINDOW: '100000' }
  nodes.push(...(await Promise.all([1, 2].map(() => startServer({ publicUrl: 'https://localhost', env })))))
})
after(() => Promise.all(nodes.map((node) => node.stop())))

interface World {
  readonly port: number
  readonly proxy: RunningProxy
}

async function createWorld(t: TestContext, { program, nodeParameters }: Front): Promise<World | undefined> {
  if (!isInstalled(program.name, t) || !isInstalled('openssl', t)) return undefined
  const [port, plainPort] = [await freePort(), await freePort()]
  const ports = nodes.map((node) => node.port)
  const proxy = await startProxy(program, {
    port,
    plainPort,
    serverPort: 0,
    isBelow: false,
    nodes: ports,
    ...(nodeParameters && { nodeParameters }),
  })
  t.after(() => proxy.stop())
  const world = { port, proxy }
  // Traefik listens before it has read where to.
  const until = Date.now() + MAX_NOTICE_MS
  while ((await honest(world, 'GET').catch(() => 0)) !== 200) assert.ok(Date.now() < until, 'the proxy reaches no node')
  return world
}

/** Status of an honest request, on a connection of its own. A POST reads the database. */
async function honest({ port, proxy }: World, method: 'GET' | 'POST'): Promise<number> {
  const body = JSON.stringify({ email: `${randomUUID()}@example.org` })
  const headers = method === 'GET' ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length }
  const path = method === 'GET' ? '/v1/version' : '/v1/auth/kdf'
  const signal = AbortSignal.timeout(MAX_MS)
  const sent = request({
    host: 'localhost',
    family: 4,
    port,
    ca: proxy.certificate,
    path,
    method,
    headers,
    signal,
    agent: false,
  })
  sent.end(method === 'GET' ? undefined : body)
  const [answer] = await once(sent, 'response')
  answer.resume()
  return answer.statusCode
}

/** What honest requests got that they should not. */
async function troubleWithin(world: World, ms: number): Promise<readonly string[]> {
  const trouble: string[] = []
  for (const until = Date.now() + ms; Date.now() < until; await wait(PAUSE_MS))
    for (const method of ['GET', 'POST'] as const) {
      const got = await honest(world, method).catch((error: unknown) => String(error))
      if (got !== 200) trouble.push(`${method}: ${got}`)
    }
  return trouble
}

function lines(first: string, headers: readonly string[] = []): string {
  return [`${first} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')
}
const posted = (bytes: number) =>
  lines('POST /v1/auth/login', ['Content-Type: application/json', `Content-Length: ${bytes}`])

/** What one stranger sends on a connection. The answers are thrown away. */
const ATTACKS: Readonly<Record<string, (socket: TLSSocket) => void>> = {
  'a slow body': (socket) => socket.write(`${posted(4096)}{   `),
  'a slow chunk': (socket) => socket.write(`${lines('PATCH /d/x/y', ['Content-Length: 4096'])}x`),
  'a slow body without a length': (socket) => {
    socket.write(
      `${lines('POST /v1/auth/login', ['Content-Type: application/json', 'Transfer-Encoding: chunked'])}1\r\n{\r\n`,
    )
  },
  'a large body': (socket) => {
    socket.write(posted(LARGE.length))
    socket.write(LARGE)
  },
  'a body that ends early': (socket) => {
    socket.write(`${posted(4096)}{   `)
    setTimeout(() => socket.destroy(), 500)
  },
  'half a header': (socket) => socket.write('GET / HTTP/1.1\r\nHost: loc'),
  'no request': () => undefined,
  'no HTTP': (socket) => socket.write('nonsense\r\n\r\n'),
  'large headers': (socket) =>
    socket.write(
      lines(
        'GET /v1/version',
        Array.from({ length: 4 }, (_, at) => `x-${at}: ${'x'.repeat(7000)}`),
      ),
    ),
  'a control character in a header': (socket) => socket.write(lines('GET /v1/version', ['x: a\u0001b'])),
  'a method that is none': (socket) => socket.write(lines('BREW /v1/version')),
  'a tunnel': (socket) => socket.write(lines('CONNECT localhost:1')),
  'odd bytes in a path': (socket) => socket.write(Buffer.from(lines('GET /d/\u00ff"<>|{}\\^`'), 'latin1')),
  'requests ahead': (socket) => socket.write(lines('GET /v1/version').repeat(100)),
}

/** Each attack at once, and those that are soon over again and again. */
async function attack({ port }: World, signal: AbortSignal): Promise<void> {
  const sockets: TLSSocket[] = []
  const begin = (send: (socket: TLSSocket) => void) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false })
    sockets.push(socket.on('error', () => undefined).resume())
    socket.once('secureConnect', () => send(socket))
  }
  for (let round = 0; !signal.aborted; round++) {
    for (const [name, send] of Object.entries(ATTACKS)) if (round < 4 || !/slow|half|no request/.test(name)) begin(send)
    await wait(500, undefined, { signal }).catch(() => undefined)
  }
  for (const socket of sockets) socket.destroy()
}

describe('two nodes, and strangers who send what takes out a node where a proxy believes them', {
  concurrency: true,
}, () => {
  for (const front of FRONTS)
    it(`serve everybody else behind ${front.name}`, async (t) => {
      const world = await createWorld(t, front)
      if (world === undefined) return
      const stop = new AbortController()
      const attacking = attack(world, stop.signal)
      const trouble = await troubleWithin(world, ATTACK_MS)
      stop.abort()
      await attacking
      assert.deepEqual(trouble, [])
    })
})

// One after the other: the node is frozen for all of them.
describe('two nodes, one of which is frozen', () => {
  for (const front of FRONTS.filter(({ nodeParameters }) => nodeParameters === undefined))
    it(`are one a moment later behind ${front.name}, and two again`, async (t) => {
      const world = await createWorld(t, front)
      if (world === undefined) return
      if (front.name === 'nginx') startCheck(t, world)
      assert.deepEqual(await troubleWithin(world, 1000), [])
      const pid = nodes[1]?.pid() ?? 0
      process.kill(pid, 'SIGSTOP')
      try {
        const until = Date.now() + MAX_NOTICE_MS
        while ((await troubleWithin(world, 1000)).length > 0)
          assert.ok(Date.now() < until, 'the frozen node is still asked')
        assert.deepEqual(await troubleWithin(world, 2000), [])
      } finally {
        process.kill(pid, 'SIGCONT')
      }
      assert.deepEqual(await troubleWithin(world, 2000), [])
    })
})

function startCheck(t: TestContext, { proxy }: World): void {
  const { directory } = proxy
  const env = {
    ...process.env,
    PATH: `${process.env.PATH}:/usr/sbin`,
    RELOAD: `nginx ${nginxArguments(directory).join(' ')} -s reload`,
  }
  const check = spawn('sh', [CHECK, nodesFile(directory), ...nodes.map(({ port }) => `127.0.0.1:${port}`)], {
    env,
    stdio: 'ignore',
  })
  t.after(() => check.kill('SIGKILL'))
}
