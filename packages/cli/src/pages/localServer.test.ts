/** The local server between pages of this machine and a server that lies: what it takes, and what it passes on. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { until } from '../../../../testing/until.ts'
import { isForOwner, type LocalAccount } from './localAccount.ts'
import { localLinkOf } from './localLink.ts'
import { answerLocally, type Shown } from './localServer.ts'
import { takeOwnOrigin } from './ownOrigin.ts'
import { createPairing } from './pairing.ts'

const QUOTA = '/v1/quota'
const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }

/** What the server was asked, and what it answers. */
const seen: IncomingMessage[] = []
let answer: RequestListener = (_, reply) => reply.end()
const upstream = http.createServer((request, reply) => {
  seen.push(request)
  answer(request, reply)
})
upstream.listen(0, '127.0.0.1')
await once(upstream, 'listening')
const server = `http://127.0.0.1:${Object(upstream.address()).port}/keep`

const codes: string[] = []
const pairing = createPairing({ elapsedMs: () => performance.now(), randomBytes, onCode: (code) => codes.push(code) })
const account: LocalAccount = {
  server,
  accessToken: () => 'token of the session',
  memory: { read: async () => ({ version: 0, seen: null, revoked: [], pins: null }), write: async () => true },
  seenByPage: () => undefined,
  passes: isForOwner,
  facts: async () => ({ email: 'a@b.c', account_id: 'x', account_key: 'SECRET', sealed_device: null, tokens: {} }),
  renew: async () => ({ status: 200, body: { access_token: 'local' } }),
}
let shown: Shown = account
const own = await takeOwnOrigin()
const page = { headers: { 'Content-Type': 'text/html' }, bytes: Buffer.from('<h1>owner</h1>') }
const pages = { at: (path: string) => (path === '/' ? page : undefined) }
own.answer((request, reply) => void answerLocally({ own, pages, pairing, shown }, request, reply))
pairing.ask()
const paired = pairing.try(codes[0] ?? '')
assert.ok(paired.is === 'paired')
const PAIRED = { ...OWN_PAGE, 'x-local-token': paired.token }

after(async () => {
  await own.leave()
  upstream.close()
  upstream.closeAllConnections()
})

interface Asked {
  readonly method?: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string
  readonly keepsAlive?: true
}

function begin(path: string, { method = 'GET', headers = PAIRED, keepsAlive }: Asked = {}): http.ClientRequest {
  const port = new URL(own.origin).port
  const connection = keepsAlive ? { connection: 'keep-alive' } : {}
  const sent = { host: own.host, ...connection, ...headers }
  return http.request({ host: '127.0.0.1', port, path, method, headers: sent, agent: false })
}

async function ask(path: string, asked: Asked = {}) {
  const request = begin(path, asked)
  request.end(asked.body)
  const [reply]: IncomingMessage[] = await once(request, 'response')
  assert.ok(reply)
  return { status: reply.statusCode, headers: reply.headers, body: await text(reply).catch(() => undefined) }
}

const json =
  (body: object, headers: http.OutgoingHttpHeaders = {}): RequestListener =>
  (_, reply) => {
    reply.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

describe('a request to the local server', () => {
  it('of a paired page reaches the server, with the session’s token and nothing of the page’s own', async () => {
    answer = json({ used: 1 })
    const headers = {
      ...PAIRED,
      cookie: 'a=b',
      referer: 'x',
      origin: own.origin,
      authorization: 'Bearer local',
      'x-other': 'y',
    }
    const { status, body } = await ask(QUOTA, { headers })
    assert.deepEqual([status, body], [200, '{"used":1}'])
    const last = seen.at(-1)
    assert.equal(last?.url, '/keep/v1/quota')
    assert.deepEqual(last?.headers, {
      host: new URL(server).host,
      authorization: 'Bearer token of the session',
      'accept-encoding': 'identity',
      connection: 'keep-alive',
    })
  })

  const refused: Readonly<Record<string, readonly [number, Asked]>> = {
    'by another name': [421, { headers: { ...PAIRED, host: `localhost:${new URL(own.origin).port}` } }],
    'by the address': [421, { headers: { ...PAIRED, host: `127.0.0.1:${new URL(own.origin).port}` } }],
    'of a page of another origin': [403, { headers: { ...PAIRED, 'sec-fetch-site': 'cross-site' } }],
    'of a page at another port of this machine': [403, { headers: { ...PAIRED, 'sec-fetch-site': 'same-site' } }],
    'of the address line': [403, { headers: { ...PAIRED, 'sec-fetch-site': 'none' } }],
    'of a browser or program that does not say where it comes from': [
      403,
      { headers: { 'x-local-token': paired.token } },
    ],
    'that says only for what it is': [403, { headers: { 'x-local-token': paired.token, 'sec-fetch-dest': 'empty' } }],
    'that says only where it comes from': [
      403,
      { headers: { 'x-local-token': paired.token, 'sec-fetch-site': 'same-origin' } },
    ],
    'for a document': [403, { headers: { ...PAIRED, 'sec-fetch-dest': 'document' } }],
    'for a script': [403, { headers: { ...PAIRED, 'sec-fetch-dest': 'script' } }],
    'for a worker': [403, { headers: { ...PAIRED, 'sec-fetch-dest': 'worker' } }],
    'for a service worker': [403, { headers: { ...PAIRED, 'sec-fetch-dest': 'serviceworker' } }],
    'for a frame, as of the preview': [403, { headers: { ...PAIRED, 'sec-fetch-dest': 'iframe' } }],
    'of the preview, which has no origin': [403, { headers: { ...PAIRED, 'sec-fetch-site': 'cross-site' } }],
    'before it has paired': [401, { headers: OWN_PAGE }],
    'with another token': [401, { headers: { ...OWN_PAGE, 'x-local-token': 'x' } }],
    'that asks what it may send': [404, { method: 'OPTIONS' }],
  }
  for (const [what, [status, asked]] of Object.entries(refused))
    it(`is refused ${what}, and the server hears nothing`, async () => {
      const before = seen.length
      const reply = await ask(QUOTA, asked)
      assert.equal(reply.status, status)
      assert.equal(reply.body?.includes('SECRET'), false)
      assert.equal(seen.length, before)
      for (const name of Object.keys(reply.headers)) assert.doesNotMatch(name, /^access-control-/)
    })

  it('is refused for what hands out tokens, takes a password or is a guest’s', async () => {
    const before = seen.length
    for (const [method, path] of [
      ['POST', '/v1/auth/login'],
      ['POST', '/v1/auth/register'],
      ['POST', '/v1/auth/nonce'],
      ['POST', '/v1/auth/kdf'],
      ['POST', '/v1/auth/login/verify-totp'],
      ['POST', '/v1/auth/password'],
      ['DELETE', '/v1/account'],
      ['GET', `/d/${'a'.repeat(32)}`],
      ['GET', '/problems/error.request.malformed'],
    ] as const)
      assert.equal((await ask(path, { method })).status, 403, path)
    assert.equal(seen.length, before)
  })

  it('renews and ends nothing at the server by the page’s words', async () => {
    const before = seen.length
    assert.equal((await ask('/v1/auth/refresh', { method: 'POST', body: '{}' })).body, '{"access_token":"local"}')
    assert.equal((await ask('/v1/auth/logout', { method: 'POST' })).status, 204)
    assert.equal(seen.length, before)
  })

  it('gets the account only with the code', async () => {
    pairing.ask()
    const wrong = await ask('/local/pair', { method: 'POST', headers: OWN_PAGE, body: '{"code":"x"}' })
    assert.deepEqual([wrong.status, wrong.body], [403, '{"is":"wrong","triesLeft":2}'])
    const right = JSON.stringify({ code: codes.at(-1) })
    for (const headers of [{}, { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' }])
      assert.equal((await ask('/local/pair', { method: 'POST', headers, body: right })).status, 403)
    const answered = await ask('/local/pair', { method: 'POST', headers: OWN_PAGE, body: right })
    assert.equal(answered.status, 200)
    assert.equal(JSON.parse(answered.body ?? '').account_key, 'SECRET')
  })

  it('gets a page whatever it comes from, and no page of the server', async () => {
    answer = json({})
    const before = seen.length
    const { status, body } = await ask('/', { headers: { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' } })
    assert.deepEqual([status, body], [200, '<h1>owner</h1>'])
    for (const path of ['/push/worker.js', '/take/worker.js', '/u/x', '/assets/x.js'])
      assert.equal((await ask(path, { headers: { 'sec-fetch-dest': 'script' } })).status, 403, path)
    assert.equal(seen.length, before)
  })
})

describe('a request of the page of a link or share of others', () => {
  const [id, other, upload] = ['a'.repeat(32), 'b'.repeat(32), '0198f0a0-0000-7000-8000-000000000001']
  const hash = 'c'.repeat(64)
  const ofLinks = (each: string) =>
    [
      ['GET', `/d/${each}`],
      ['POST', `/d/${each}`],
      ['PATCH', `/d/${each}/${upload}`],
      ['HEAD', `/d/${each}/${upload}`],
      ['DELETE', `/d/${each}/${upload}`],
      ['GET', `/d/${each}/${upload}/receipt`],
    ] as const
  const ofShares = (each: string) =>
    [
      ['GET', `/s/${each}`],
      ['GET', `/s/${each}/blob/${hash}`],
      ['HEAD', `/s/${each}/blob/${hash}`],
    ] as const
  const ofAll = [
    ['GET', '/v1/version'],
    ['GET', '/v1/site'],
    ['GET', '/.well-known/service/server-info'],
    ['GET', '/.well-known/service/attestation-keys'],
    ['GET', '/.well-known/service/moves'],
  ] as const
  const ofOwners = [
    ['GET', '/v1/account'],
    ['GET', '/v1/sync'],
    ['POST', '/v1/auth/login'],
    ['POST', '/v1/auth/refresh'],
    ['POST', '/v1/auth/logout'],
    ['GET', '/openapi.json'],
  ] as const

  for (const [is, own, ofOthers] of [
    ['link', ofLinks(id), [...ofLinks(other), ...ofShares(id)]],
    ['share', ofShares(id), [...ofShares(other), ...ofLinks(id)]],
  ] as const)
    it(`passes with what is of this one ${is}, and without a token of a session`, async (t) => {
      shown = localLinkOf({ is, server, opaqueId: id, fragment: '#SECRET', isExposed: false }, '/nowhere')
      t.after(() => {
        shown = account
      })
      answer = json({}, { ETag: '"e"' })
      for (const [method, path] of [...own, ...ofAll]) {
        assert.notEqual((await ask(path, { method })).status, 403, path)
        assert.equal(seen.at(-1)?.url, `/keep${path}`)
        assert.equal(seen.at(-1)?.headers.authorization, undefined)
      }
      const before = seen.length
      for (const [method, path] of [...ofOthers, ...ofOwners]) {
        const refusal = await ask(path, { method })
        assert.equal(refusal.status, 403, `${method} ${path}`)
        assert.equal(refusal.body?.includes('SECRET'), false)
      }
      for (const headers of [OWN_PAGE, { ...PAIRED, 'sec-fetch-site': 'cross-site' }, { ...PAIRED, host: 'x' }])
        assert.ok([401, 403, 421].includes((await ask(own[0][1], { headers })).status ?? 0))
      for (const path of [`/d/${id}/../${other}`, `/d//${id}`, `/d/%61${id.slice(1)}`, `/d/${id}?x=1`, `//d/${id}`])
        assert.notEqual((await ask(path)).status, 200, path)
      assert.equal(seen.length, before)
      pairing.ask()
      const body = JSON.stringify({ code: codes.at(-1) })
      const given = await ask('/local/pair', { method: 'POST', headers: OWN_PAGE, body })
      const { token: _, ...facts } = JSON.parse(given.body ?? '')
      assert.deepEqual(facts, { is: 'paired', shows: is, opaque_id: id, fragment: '#SECRET', is_exposed: false })
    })
})

describe('an answer of the server', () => {
  it('has the headers that pass, and those of data in the place of all others', async () => {
    answer = json(
      {},
      {
        ETag: '"e"',
        'X-Request-Id': 'r',
        'Set-Cookie': 'a=b',
        Link: '</x>; rel=preload',
        Refresh: '0; url=/x',
        Location: '/x',
        'Clear-Site-Data': '"storage"',
        'Service-Worker-Allowed': '/',
        'Access-Control-Allow-Origin': '*',
        'WWW-Authenticate': 'Basic',
        'Alt-Svc': 'h3=":1"',
        'Content-Disposition': 'inline',
        'Content-Security-Policy': 'default-src *',
        'Cache-Control': 'public, max-age=31536000',
        'X-Content-Type-Options': 'x',
      },
    )
    const { headers } = await ask(QUOTA)
    const { date: _, connection: __, 'keep-alive': ___, 'transfer-encoding': ____, ...rest } = headers
    assert.deepEqual(rest, {
      etag: '"e"',
      'x-request-id': 'r',
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
  })

  for (const type of [
    'text/html',
    'text/javascript',
    'application/javascript',
    'image/svg+xml',
    'application/wasm',
    '',
  ])
    it(`is not passed on as ${type || 'nothing'}`, async () => {
      answer = (_, reply) => {
        if (type !== '') reply.setHeader('Content-Type', type)
        reply.end('<script>alert(1)</script>')
      }
      const { status, body } = await ask(QUOTA)
      assert.deepEqual([status, body], [502, ''])
    })

  it('keeps its type however it is written, without what follows', async () => {
    answer = (_, reply) => reply.writeHead(200, { 'Content-Type': 'APPLICATION/JSON; charset=x, text/html' }).end('{}')
    assert.equal((await ask(QUOTA)).headers['content-type'], 'application/json')
  })

  it('needs no type where it has no body', async () => {
    const upload = '/v1/upload/0198f0a0-0000-7000-8000-000000000001'
    answer = (_, reply) => reply.writeHead(200, { 'X-Service-Offset': '7' }).end()
    const state = await ask(upload, { method: 'HEAD' })
    assert.deepEqual([state.status, state.headers['x-service-offset']], [200, '7'])
    answer = (_, reply) => reply.writeHead(204).end()
    assert.equal((await ask(upload, { method: 'DELETE' })).status, 204)
    answer = (_, reply) => reply.writeHead(413, { 'Content-Length': 0 }).end()
    assert.equal((await ask(upload, { method: 'DELETE' })).status, 413)
  })

  for (const status of [300, 301, 302, 303, 307, 308])
    it(`is 502 for a redirect with status ${status}`, async () => {
      answer = (_, reply) => reply.writeHead(status, { Location: '/', 'Content-Type': 'application/json' }).end('{}')
      const { headers, ...rest } = await ask(QUOTA)
      assert.deepEqual([rest.status, rest.body, headers.location], [502, '', undefined])
    })

  // 205 has no body for a browser: what follows would be the answer to its next request, which may ask for a script.
  for (const status of [201, 202, 203, 204, 205, 206, 207, 226, 299, 407, 600, 999])
    it(`is 502 with the status ${status}, which the operation does not have`, async () => {
      answer = (_, reply) =>
        reply.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': 2 }).end('{}')
      const { headers, ...rest } = await ask(QUOTA)
      assert.deepEqual([rest.status, rest.body, headers['content-length']], [502, '', undefined])
    })

  it('is 502 with a status that is none', async () => {
    answer = (request) => void request.socket.write('HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n')
    const { headers, ...rest } = await ask(QUOTA)
    assert.deepEqual([rest.status, rest.body, headers['content-length']], [502, '', undefined])
  })

  it('is the last one on its connection: no page and no script comes after bytes of the server', async () => {
    answer = json({})
    assert.equal((await ask(QUOTA, { keepsAlive: true })).headers.connection, 'close')
    assert.equal((await ask('/', { keepsAlive: true })).headers.connection, 'keep-alive')
  })

  it('is 502 when it is coded, upgrades, or there is none', async () => {
    answer = json({}, { 'Content-Encoding': 'gzip' })
    assert.equal((await ask(QUOTA)).status, 502)
    answer = (request) =>
      void request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
    assert.equal((await ask(QUOTA)).status, 502)
    answer = (request) => void request.socket.destroy()
    assert.equal((await ask(QUOTA)).status, 502)
  })

  it('that breaks does not look complete', async () => {
    answer = (request, reply) => {
      reply.writeHead(200, { 'Content-Type': 'application/octet-stream' }).write('half')
      setImmediate(() => request.socket.destroy())
    }
    assert.equal((await ask(QUOTA)).body, undefined)
  })

  it('of events arrives event by event, and the page that leaves ends it at the server', async () => {
    let left = false
    answer = (_, reply) => {
      reply.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('id: 1\n\n')
      reply.once('close', () => {
        left = true
      })
    }
    const request = begin('/v1/events')
    request.end()
    const [reply]: IncomingMessage[] = await once(request, 'response')
    assert.ok(reply)
    const [first] = await once(reply, 'data')
    assert.equal(String(first), 'id: 1\n\n')
    reply.on('error', () => undefined)
    request.destroy()
    await until(() => left)
  })
})

describe('a page that leaves before it has an answer', () => {
  it('ends its request at the server', async () => {
    let left = false
    answer = (request) => void request.socket.once('close', () => (left = true))
    const before = seen.length
    const request = begin(QUOTA).on('error', () => undefined)
    request.end()
    await until(() => seen.length > before)
    request.destroy()
    await until(() => left)
  })
})

describe('a body', () => {
  it('is passed on while it arrives, with its length and the type of its operation', async () => {
    let received = 0
    answer = (request, reply) => {
      request.on('data', (piece: Buffer) => {
        received += piece.length
      })
      request.once('end', () => reply.writeHead(204, { 'X-Service-Offset': String(received) }).end())
    }
    const half = Buffer.alloc(1024 * 1024)
    const request = begin(`/v1/upload/${'0198f0a0-0000-7000-8000-000000000001'}`, {
      method: 'PATCH',
      headers: { ...PAIRED, 'content-length': 2 * half.length, 'x-service-offset': '0', 'content-type': 'text/html' },
    })
    request.write(half)
    await until(() => received === half.length)
    request.end(half)
    const [reply]: IncomingMessage[] = await once(request, 'response')
    assert.deepEqual([reply?.statusCode, reply?.headers['x-service-offset']], [204, String(2 * half.length)])
    const { headers } = seen.at(-1) ?? {}
    assert.deepEqual(
      [headers?.['content-length'], headers?.['content-type'], headers?.['x-service-offset']],
      [String(2 * half.length), 'application/octet-stream', '0'],
    )
  })
  for (const [what, status, answers] of [
    ['refuses', 413, ((_, reply) => reply.writeHead(413, { 'Content-Length': 0 }).end()) as RequestListener],
    ['cuts', 502, ((request) => request.once('data', () => request.socket.destroy())) as RequestListener],
  ] as const)
    it(`that the server ${what} while it arrives has an answer, whatever the page still sends`, async () => {
      answer = answers
      const length = 16 * 1024 * 1024
      const request = begin(`/v1/upload/${'0198f0a0-0000-7000-8000-000000000001'}`, {
        method: 'PATCH',
        headers: { ...PAIRED, 'content-length': length, 'x-service-offset': '0' },
      })
      const answered = once(request, 'response')
      // A browser reads the answer once it has sent all.
      for (let sent = 0; sent < length; sent += 1024 * 1024)
        if (!request.write(Buffer.alloc(1024 * 1024))) await once(request, 'drain')
      request.end()
      const [reply]: IncomingMessage[] = await answered
      assert.equal(reply?.statusCode, status)
      reply?.resume()
    })
})
