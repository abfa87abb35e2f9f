import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import fc from 'fast-check'
import type { Response } from 'light-my-request'
import { listen, overHttp, said } from '../testing/http.ts'
import { inWorld, type World } from '../testing/world.ts'

const NEW = 'https://new.example/drop'
const OLD = 'https://old.example'
const FORMER = { host: 'old.example' }
/** As a browser sends it when a person opens a bookmark. */
const OPENED = { ...FORMER, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' }
const ID = '0'.repeat(32)
const IDS: Readonly<Record<string, string>> = { opaque_id: ID, code: 'error.request.malformed', role: 'original' }
const idOf = (_: string, name: string) =>
  IDS[name] ?? (name.endsWith('hash') ? '0'.repeat(64) : '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e8f')
const rows = Object.entries<Operation>(operations).map(
  ([name, row]) => [name, row, row.path.replaceAll(/\{(\w+)\}/g, idOf)] as const,
)
/** No token, no data of a person, and needed there: see `formerName.ts`. */
const AS_EVER = ['moves', 'problemPage', 'healthz', 'readyz']
const HEADLESS = { code: 'error.server.moved', moved_to: NEW }
const movedTo = (world: World, formerUrl = OLD) =>
  overHttp(world, { publicUrl: NEW, formerUrls: [formerUrl], trustedProxies: ['192.0.2.1'] })

/** As an attacker writes them: no client brings them into form. */
const PART = fc.oneof(
  fc.constantFrom('/', '//', '/u/', '/v/', '\\', '..', '%2f', '%5c', '%0d%0a', '%23', '?', '#', '@', ':', ';', '\xff'),
  fc.constantFrom('evil.example', 'https:', 'javascript:', ID, 'Location', '%23/register?invite=', 'Ã¼'),
  fc.webSegment(),
)
const PATHS = fc.array(PART, { maxLength: 8 }).map((parts) => parts.join(''))
const TARGETS = fc.oneof(
  PATHS.map((path) => `/${path}`),
  PATHS.map((path) => `https://old.example/${path}`),
  PATHS.map((path) => `http://old.example${/^[/?]/.test(path) ? path : ''}`),
)
const OF_PAGE = /^https:\/\/new\.example\/drop\/(?:[uv]\/[\w%-]+|#\/register\?invite=[\w%.!~*'()-]*&exposed)?$/

interface Answer {
  readonly status: number | undefined
  readonly location: string | undefined
}

/** Where the page leads, which a browser gets in place of a redirect. Its policy allows its script and nothing else. */
function pageLeadsTo({ body, headers }: Pick<Response, 'body' | 'headers'>): string {
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(body) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  const policy = String(headers['content-security-policy'])
  assert.ok(
    policy.startsWith(`default-src 'none'; script-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; `),
    policy,
  )
  const [[, address = ''] = [], ...others] = body.matchAll(/<a href="([^"]*)">/g)
  assert.deepEqual(others, [])
  return address.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

async function got(options: RequestOptions): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', ...options })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status, headers } = answer
  const body = await text(answer)
  return { status, location: status === 200 ? pageLeadsTo({ body, headers }) : headers.location }
}

describe('at a former name', () => {
  it(
    'every operation but four is 410 and names the present address, with and without a token',
    inWorld(async (world) => {
      const { ask, signIn } = movedTo(world)
      const { authorization } = await signIn()
      assert.equal((await ask({ method: 'GET', url: '/v1/quota', headers: { authorization } })).statusCode, 200)
      for (const [name, { method }, url] of rows.filter(([each]) => !AS_EVER.includes(each)))
        for (const credential of [{}, { authorization }, { authorization: 'Bearer x' }]) {
          const headers = { ...FORMER, ...credential, 'content-type': 'application/json' }
          const reply = await ask({ method, url, headers, ...(method !== 'GET' && { payload: '{' }) })
          assert.equal(reply.statusCode, 410, name)
          const { code, moved_to: address } = method === 'HEAD' ? HEADLESS : reply.json()
          assert.deepEqual({ code, address }, { code: 'error.server.moved', address: NEW }, name)
          assert.equal(reply.headers['cache-control'], 'no-store')
          assert.equal(reply.headers.location, undefined)
        }
    }),
  )

  it(
    'the statements of moves, the page of a problem and the probes are the same, byte for byte, with their headers',
    inWorld(async (world) => {
      const { ask } = movedTo(world)
      const ever = rows.filter(([name]) => AS_EVER.includes(name))
      assert.equal(ever.length, AS_EVER.length)
      for (const [name, , url] of ever) {
        for (const method of ['GET', 'HEAD'] as const) {
          const [there, here] = [await ask({ method, url, headers: FORMER }), await ask({ method, url })]
          const stable = ({ statusCode, body, headers }: typeof here) => [
            statusCode,
            body.replace(/urn:uuid:[^"]*/, ''),
            { ...headers, date: '', 'x-request-id': '' },
          ]
          assert.deepEqual(stable(there), stable(here), name)
        }
        assert.equal(said(await ask({ method: 'POST', url, headers: FORMER })), '410 server.moved', name)
      }
    }),
  )

  it(
    'a page leads to the same page at the present address; only that of the owner or of a share clears the storage',
    inWorld(async (world) => {
      const { ask } = movedTo(world)
      for (const method of ['GET', 'HEAD'] as const)
        for (const [url, target, clears] of [
          ['/', '', true],
          ['/?source=app', '', true],
          [`/u/${ID}`, `u/${ID}`, false],
          [`/u/${ID}?x=//evil.example`, `u/${ID}`, false],
          [`/v/${ID}`, `v/${ID}`, true],
          // As the page takes it at the present name: a program has rewritten the fragment, or the kind.
          [`/u/${ID}%23secret`, `u/${ID}%23secret`, false],
          [`/U/${ID}/`, `u/${ID}`, false],
          ['/u', 'u/-', false],
          [`https://old.example/u/${ID}`, `u/${ID}`, false],
          ['https://old.example', '', true],
        ] as const) {
          const led = await ask({ method, url, headers: FORMER })
          assert.deepEqual([led.statusCode, led.headers.location, led.body], [307, `${NEW}/${target}`, ''], url)
          const opened = await ask({ method, url, headers: OPENED })
          assert.equal(opened.headers['clear-site-data'], clears ? '"storage"' : undefined, url)
          assert.equal(opened.headers.location, clears ? undefined : `${NEW}/${target}`)
          if (clears && method === 'GET') assert.equal(pageLeadsTo(opened), `${NEW}/${target}`)
          for (const { headers } of [led, opened]) {
            assert.equal(headers['cache-control'], 'no-store')
            assert.equal(headers['referrer-policy'], 'no-referrer')
            assert.deepEqual(
              Object.keys(headers).filter((name) => name.startsWith('access-control')),
              [],
            )
          }
        }
      const invite = await ask({ method: 'GET', url: '/%23/register?invite=abc', headers: FORMER })
      assert.equal(invite.headers.location, `${NEW}/#/register?invite=abc&exposed`)
    }),
  )

  it(
    'nothing is cleared for another site: no picture, frame, script or window of it, and no application below the old address',
    inWorld(async (world) => {
      const clears = async (formerUrl: string, headers: Record<string, string>) => {
        const reply = await movedTo(world, formerUrl).ask({ method: 'GET', url: '/', headers })
        assert.equal(reply.statusCode, 'clear-site-data' in reply.headers ? 200 : 307)
        return reply.headers['clear-site-data'] !== undefined
      }
      assert.equal(await clears(OLD, OPENED), true)
      assert.equal(await clears(OLD, { ...OPENED, 'sec-fetch-site': 'same-origin' }), true)
      for (const site of ['cross-site', 'same-site', ''])
        assert.equal(await clears(OLD, { ...OPENED, 'sec-fetch-site': site }), false, site)
      for (const destination of ['image', 'iframe', 'script', 'empty', 'object', ''])
        assert.equal(await clears(OLD, { ...OPENED, 'sec-fetch-dest': destination }), false, destination)
      for (const mode of ['no-cors', 'cors', ''])
        assert.equal(await clears(OLD, { ...OPENED, 'sec-fetch-mode': mode }), false, mode)
      assert.equal(await clears(OLD, FORMER), false)
      assert.equal(await clears(`${OLD}/keep`, OPENED), false)
      assert.equal(await clears(`${OLD}/*`, OPENED), false)
      assert.equal(await clears(OLD, { ...OPENED, host: 'old.example:8443' }), false)
    }),
  )

  it(
    'the page that leads on has the present address as text, whatever is in it',
    inWorld(async (world) => {
      const publicUrl = `https://new.example/a&quot;'b`
      const { ask } = overHttp(world, { publicUrl, formerUrls: [OLD] })
      assert.equal(pageLeadsTo(await ask({ method: 'GET', url: '/', headers: OPENED })), `${publicUrl}/`)
    }),
  )

  it(
    'no page beside these leads anywhere, and no other method of a page',
    inWorld(async (world) => {
      const { ask } = movedTo(world)
      const files = [
        '/assets/x.js',
        '/app/app.webmanifest',
        '/preview/',
        '/push/worker.js',
        '/take/',
        '/take/worker.js',
      ]
      for (const url of [...files, '/nowhere', '/d/%zz', '/u/..%2fx', '/u/%0d%0aX:x'])
        assert.equal(said(await ask({ method: 'GET', url, headers: FORMER })), '410 server.moved', url)
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)
        for (const url of ['/', `/u/${ID}`, '/take/'])
          assert.equal(said(await ask({ method, url, headers: FORMER })), '410 server.moved', `${method} ${url}`)
    }),
  )

  it(
    'an answer leads nowhere but to a page at the present address, whatever target and headers a request has',
    inWorld(async (world) => {
      const { app } = movedTo(world)
      const port = await listen(app)
      const agent = new Agent({ keepAlive: true })
      let led = 0
      const leads = async (path: string, headersOf: Record<string, string>) => {
        const headers = { ...headersOf, 'x-forwarded-host': 'evil.example', 'x-original-url': '//evil.example' }
        const { status, location } = await got({ port, path, headers, agent })
        // 400: no request of HTTP.
        assert.ok((location === undefined ? [410, 400] : [307, 200]).includes(Number(status)), `${status} ${path}`)
        if (location === undefined) return
        led++
        assert.match(location, OF_PAGE, path)
        const { origin, pathname } = new URL(location)
        assert.equal(origin, 'https://new.example')
        assert.ok(pathname.startsWith('/drop/'), path)
      }
      try {
        const asked = fc.constantFrom(FORMER, OPENED, { host: 'OLD.EXAMPLE.:443' })
        await fc.assert(fc.asyncProperty(TARGETS, asked, leads), { numRuns: 1000 })
        assert.ok(led > 20, String(led))
      } finally {
        agent.destroy()
        await app.close()
      }
    }),
  )

  it(
    'no browser is led to its own machine by a server that has moved to a loopback address',
    inWorld(async (world) => {
      for (const publicUrl of ['http://localhost:8080', 'http://127.0.0.1:8080/in', 'http://[::1]:8080']) {
        const { ask } = overHttp(world, { publicUrl, formerUrls: [OLD] })
        for (const url of ['/', `/u/${ID}`, `/v/${ID}`])
          for (const headers of [FORMER, OPENED])
            assert.equal(said(await ask({ method: 'GET', url, headers })), '410 server.moved', `${publicUrl} ${url}`)
      }
    }),
  )

  it(
    'a trusted proxy’s request is judged by its host like any other',
    inWorld(async (world) => {
      const { ask } = overHttp(world, { publicUrl: NEW, formerUrls: [OLD], trustedProxies: ['127.0.0.1'] })
      const said410 = await ask({ method: 'GET', url: '/v1/version', headers: FORMER })
      assert.equal(said(said410), '410 server.moved')
      assert.equal((await ask({ method: 'GET', url: '/v1/version', headers: { host: 'x.example' } })).statusCode, 200)
    }),
  )

  it(
    'a socket gets the same: HTTP/1.0, absolute targets, two hosts, a body that is not read; a loopback name is none',
    inWorld(async (world) => {
      const { app } = movedTo(world)
      const port = await listen(app)
      const answered = async (sent: string) => {
        const socket = connect(port, '127.0.0.1')
        socket.write(sent)
        let answer = ''
        socket.setEncoding('latin1').on('data', (piece) => {
          answer += piece
        })
        await once(socket, 'close')
        return { status: Number(answer.split(' ')[1]), location: /^location: (.*)\r$/im.exec(answer)?.[1] }
      }
      const led = { status: 307, location: `${NEW}/u/${ID}` }
      const close = 'Connection: close\r\n\r\n'
      try {
        assert.deepEqual(await answered(`GET /u/${ID} HTTP/1.0\r\nHost: old.example\r\n\r\n`), led)
        assert.deepEqual(
          await answered(`GET https://old.example/u/${ID} HTTP/1.1\r\nHost: old.example\r\n${close}`),
          led,
        )
        const two = await answered(`GET /u/${ID} HTTP/1.1\r\nHost: old.example\r\nHost: new.example\r\n${close}`)
        assert.equal(two.status, 421)
        const chunk = `PATCH /d/${ID}/x HTTP/1.1\r\nHost: old.example\r\nContent-Length: 3\r\n${close}abc`
        assert.deepEqual(await answered(chunk), { status: 410, location: undefined })
        assert.equal((await answered(`GET /u/${ID} HTTP/1.1\r\nHost: 127.0.0.1\r\n${close}`)).location, undefined)
      } finally {
        await app.close()
      }
    }),
  )
})

describe('a server that was at a loopback address', () => {
  it(
    'serves it as before',
    inWorld(async (world) => {
      const { ask } = movedTo(world, 'http://127.0.0.1:8080')
      const reply = await ask({ method: 'GET', url: '/v1/version', headers: { host: '127.0.0.1:8080' } })
      assert.equal(reply.statusCode, 200)
    }),
  )
})
