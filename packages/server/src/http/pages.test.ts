import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import type { PageFile, Pages } from '../ports/pages.ts'
import { newLink } from '../testing/guest.ts'
import { listen, overHttp, said, type Web } from '../testing/http.ts'
import { inWorld, type World } from '../testing/world.ts'

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-p7LGIF6JMdbeDxcjjMyqxfQM+lOEWKRWdYkH6VYBi6A='; img-src 'self' blob:; manifest-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types blindkeep-worker"

function file(text: string, mediaType = 'text/html; charset=utf-8'): PageFile {
  return {
    mediaType,
    bytes: Buffer.from(text),
    coded: { br: Buffer.from(`br of ${text}`), gzip: Buffer.from(`gzip of ${text}`) },
    version: `version-of-${text}`,
  }
}

const PREVIEW = "<style>a { b: c }</style><body><script>post('ready')</script></body>"

const pages: Pages = new Map([
  ['index.html', file('owner')],
  ['u/index.html', file('link')],
  ['unknown/index.html', file('nothing here')],
  ['assets/guest-1a.js', file('script', 'text/javascript; charset=utf-8')],
  ['assets/plain.svg', { ...file('picture', 'image/svg+xml'), coded: {} }],
  ['preview/index.html', file(PREVIEW)],
  ['app/app.webmanifest', file('{}', 'application/manifest+json')],
  ['push/worker.js', file('service worker', 'text/javascript; charset=utf-8')],
  ['take/worker.js', file('taking worker', 'text/javascript; charset=utf-8')],
])

function inWeb(work: (web: Web, world: World) => Promise<void>): () => Promise<void> {
  return inWorld((world) => work(overHttp(world, { pages }), world))
}

describe('the pages', () => {
  it(
    'answer at their addresses with any id',
    inWeb(async (web, world) => {
      for (const [url, body] of [
        ['/', 'owner'],
        ['/?from=mail', 'owner'],
        [`/u/${await newLink(world)}`, 'link'],
        [`/u/${'0'.repeat(32)}`, 'link'],
        ['/u/anything', 'link'],
        ['/u/anything%23key', 'link'],
        ['/u/anything%2523key?from=mail', 'link'],
        ['/v/anything', 'link'],
        ['/preview/', PREVIEW],
        ['/preview/index.html', PREVIEW],
      ] as const) {
        const reply = await web.ask({ method: 'GET', url })
        assert.deepEqual([reply.statusCode, reply.body], [200, body], url)
        assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
      }
    }),
  )

  it(
    'are described for a system that installs them',
    inWeb(async (web) => {
      const { statusCode, headers, body } = await web.ask({ method: 'GET', url: '/app/app.webmanifest' })
      assert.deepEqual(
        [statusCode, headers['content-type'], headers['cache-control'], body],
        [200, 'application/manifest+json', 'no-cache', '{}'],
      )
    }),
  )

  it(
    'do not reveal whether a link exists: the answers differ only in the request id',
    inWeb(async (web, world) => {
      const answers = await Promise.all(
        [await newLink(world), '0'.repeat(32), 'x'].map(async (id) => {
          const { headers, statusCode, body } = await web.ask({ method: 'GET', url: `/u/${id}` })
          return { statusCode, body, headers: { ...headers, 'x-request-id': '', date: '' } }
        }),
      )
      assert.deepEqual(answers[1], answers[0])
      assert.deepEqual(answers[2], answers[0])
    }),
  )

  it(
    'allow only their own origin',
    inWeb(async (web) => {
      for (const url of ['/', '/u/anything', '/v/anything']) {
        const { headers } = await web.ask({ method: 'GET', url })
        assert.equal(headers['content-security-policy'], PAGE_POLICY)
        assert.equal(headers['referrer-policy'], 'no-referrer')
        assert.equal(headers['x-content-type-options'], 'nosniff')
        assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
        assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
        assert.equal(headers['cache-control'], 'no-cache')
        assert.match(String(headers['permissions-policy']), /camera=\(\), /)
      }
    }),
  )

  it(
    'let the owner’s page use passkeys, and no other page or frame',
    inWeb(async (web) => {
      for (const [url, allowance] of [
        ['/', 'self'],
        ['/u/anything', ''],
        ['/v/anything', ''],
        ['/preview/', ''],
      ] as const) {
        const policy = String((await web.ask({ method: 'GET', url })).headers['permissions-policy']).split(', ')
        for (const feature of ['publickey-credentials-create', 'publickey-credentials-get'])
          assert.ok(policy.includes(`${feature}=(${allowance})`), `${url} ${feature}`)
      }
    }),
  )

  it(
    'show guests’ files in a sandbox without an origin or a network',
    inWeb(async (web) => {
      // Counted by `openssl dgst -sha256 -binary | base64`.
      const [script, style] = [
        'W6z6GAA9b2OfzWNwnA+rXrFmd5Hewn4bk2GmU0qO+1I=',
        'QOG1bNummUdN8ru48JSfiQvU3BhjIqrKYbGcSs1G+Y8=',
      ]
      for (const url of ['/preview/', '/preview/index.html']) {
        const { headers } = await web.ask({ method: 'GET', url })
        assert.equal(
          headers['content-security-policy'],
          `sandbox allow-scripts; default-src 'none'; script-src 'sha256-${script}' 'wasm-unsafe-eval'; worker-src blob:; style-src 'sha256-${style}'; img-src blob:; media-src blob:; frame-ancestors 'self'`,
        )
        assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
        assert.equal(headers['cache-control'], 'no-cache')
      }
    }),
  )

  it(
    'have a service worker in a folder without a page, which reaches nothing but pictures',
    inWeb(async (web) => {
      const { headers, body } = await web.ask({ method: 'GET', url: '/push/worker.js' })
      assert.equal(body, 'service worker')
      assert.equal(
        headers['content-security-policy'],
        "default-src 'none'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      assert.equal(headers['cache-control'], 'no-cache')
      // Its scope is its folder: this would let it have more.
      assert.equal(headers['service-worker-allowed'], undefined)
      assert.equal((await web.ask({ method: 'GET', url: '/push/' })).statusCode, 404)
    }),
  )

  it(
    'have a service worker that takes files from other apps, and reaches nothing at all',
    inWeb(async (web) => {
      const { headers, body } = await web.ask({ method: 'GET', url: '/take/worker.js' })
      assert.equal(body, 'taking worker')
      assert.equal(headers['content-security-policy'], "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
      assert.equal((await web.ask({ method: 'GET', url: '/take/' })).statusCode, 404)
    }),
  )

  it(
    'refuse files that no service worker has taken before their body arrives, and end the connection',
    inWeb(async (web) => {
      const port = await listen(web.app)
      try {
        for (const begun of ['', 'plaintext of a photo']) {
          const socket = connect(port, '127.0.0.1').setEncoding('utf8')
          socket.write(`POST /take/?x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n${begun}`)
          // The rest of the body never comes: this ends only because the server has closed the connection.
          const answer = await text(socket)
          assert.match(answer, /^HTTP\/1\.1 405 .*Connection: close.*nothing of them was stored/is)
          assert.match(answer, /\r\nAllow: GET, HEAD\r\n/i)
        }
        assert.ok(web.logged.some((line) => line.includes('"route":"/take/*","status":405')))
        assert.ok(!web.logged.some((line) => line.includes('plaintext')))
      } finally {
        await web.app.close()
      }
    }),
  )

  it(
    'have assets that a browser may keep permanently, with a policy for the worker',
    inWeb(async (web) => {
      const { headers, body } = await web.ask({ method: 'GET', url: '/assets/guest-1a.js' })
      assert.equal(body, 'script')
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
      assert.match(
        String(headers['content-security-policy']),
        /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self';/,
      )
    }),
  )

  it(
    'are sent in a coding that the browser accepts, each with its own ETag',
    inWeb(async (web) => {
      for (const [accepted, coding, body] of [
        ['gzip, deflate, br, zstd', 'br', 'br of link'],
        ['gzip', 'gzip', 'gzip of link'],
        ['GZIP;q=0.5, br;q=0', 'gzip', 'gzip of link'],
        ['br; q=0.000, gzip ; q=0', undefined, 'link'],
        ['identity', undefined, 'link'],
        ['brotli', undefined, 'link'],
        [undefined, undefined, 'link'],
      ] as const) {
        const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
        const reply = await web.ask({ method: 'GET', url: '/u/anything', headers })
        assert.deepEqual([reply.headers['content-encoding'], reply.body], [coding, body], accepted)
        assert.equal(reply.headers.vary, 'Accept-Encoding')
        assert.equal(reply.headers.etag, `"version-of-link${coding === undefined ? '' : `-${coding}`}"`)
        assert.equal(reply.headers['content-length'], String(body.length))
      }
      const plain = await web.ask({ method: 'GET', url: '/assets/plain.svg', headers: { 'accept-encoding': 'br' } })
      assert.deepEqual([plain.headers['content-encoding'], plain.body], [undefined, 'picture'])
    }),
  )

  it(
    'are not sent again to a client that has them, except in another coding',
    inWeb(async (web) => {
      const headers = { 'accept-encoding': 'br', 'if-none-match': '"version-of-owner-br"' }
      const same = await web.ask({ method: 'GET', url: '/', headers })
      assert.deepEqual([same.statusCode, same.body], [304, ''])
      assert.equal(same.headers['content-security-policy'], PAGE_POLICY)
      assert.equal(
        (await web.ask({ method: 'GET', url: '/', headers: { ...headers, 'accept-encoding': 'gzip' } })).statusCode,
        200,
      )
    }),
  )

  it(
    'answer HEAD as GET, without the bytes',
    inWeb(async (web) => {
      const url = '/u/anything'
      const [get, head] = [await web.ask({ method: 'GET', url }), await web.ask({ method: 'HEAD', url })]
      assert.equal(head.body, '')
      const { date: _, 'x-request-id': __, ...same } = get.headers
      for (const [name, value] of Object.entries(same)) assert.equal(head.headers[name], value, name)
    }),
  )

  it(
    'answer 405 to any other method, and list theirs',
    inWeb(async (web) => {
      for (const url of ['/', '/u/anything', '/v/anything', '/assets/guest-1a.js', '/preview/'])
        for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const) {
          const reply = await web.ask({ method, url, payload: method === 'OPTIONS' ? '' : 'body' })
          assert.equal(said(reply), '405 request.method_not_allowed', `${method} ${url}`)
          assert.equal(reply.headers.allow, 'GET, HEAD')
        }
    }),
  )

  it(
    'answer 404 at unknown addresses, and never with a file that is not a page file',
    inWeb(async (web) => {
      for (const url of [
        '/u',
        '/u/',
        '/u/a/b',
        '/u/a/',
        '/u/%zz',
        '/v/',
        '/w/a',
        '/index.html',
        // It tells a local page which server to trust (decisions/local-pages.md).
        '/local.json',
        '/assets',
        '/assets/',
        '/assets/missing.js',
        '/assets/..%2findex.html',
        '/assets/../index.html',
        '/assets/guest-1a.js.br',
        '/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
        '/preview/..%2Fu%2Findex.html',
        '/preview/constructor',
      ]) {
        const reply = await web.ask({ method: 'GET', url })
        assert.equal(said(reply), '404 request.not_found', url)
      }
    }),
  )

  it(
    'are where a browser goes on to from a damaged address of a link or share, and nothing else does',
    inWeb(async (web) => {
      const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
      const id = '5f816b8fae607932ed5b0eca8db6196d'
      for (const [url, page] of [
        [`/u/${id}/`, `/u/${id}`],
        [`/U/${id}`, `/u/${id}`],
        [`/V/${id}/?from=mail`, `/v/${id}`],
        ['/u', '/u/-'],
        ['/u/', '/u/-'],
        ['/v', '/v/-'],
        ['/v/?', '/v/-'],
        ['/V/', '/v/-'],
        [`/U/${id}%2523kEy_-9/`, `/u/${id}%2523kEy_-9`],
      ] as const) {
        const reply = await web.ask({ method: 'GET', url, headers })
        assert.equal(reply.statusCode, 302, url)
        assert.match(String(reply.headers.location), /^\.\//)
        const target = new URL(String(reply.headers.location), `http://a.example/below${url}`).pathname
        assert.equal(target, `/below${page}`, url)
        assert.equal((await web.ask({ method: 'GET', url: page, headers })).statusCode, 200)
        assert.equal(said(await web.ask({ method: 'GET', url })), '404 request.not_found', url)
        assert.notEqual((await web.ask({ method: 'POST', url, headers })).statusCode, 302, url)
      }
      for (const url of ['/u/a/b', '/w/', '/u//evil.example', '/u/%2f%2fevil.example/', '//u/']) {
        const { statusCode, body } = await web.ask({ method: 'GET', url, headers })
        assert.deepEqual([statusCode, body], [404, 'nothing here'], url)
      }
    }),
  )

  it(
    'say to a browser that nothing is at an address, and lead it to the start; all else gets a problem',
    inWeb(async (web) => {
      const headers = { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'br', 'if-none-match': '*' }
      for (const url of ['/none', '/a/b/c.html?x=1', '/u/a/b', '/%zz', `/${'a'.repeat(9000)}`]) {
        const shown = await web.ask({ method: 'GET', url, headers })
        assert.deepEqual([shown.statusCode, shown.body], [404, 'br of nothing here'], url)
        assert.deepEqual(
          ['cache-control', 'content-type', 'content-security-policy', 'etag'].map((name) => shown.headers[name]),
          ['no-store', 'text/html; charset=utf-8', PAGE_POLICY, undefined],
        )
        const start = `${url.split('?')[0]}?start`
        const { statusCode, headers: led } = await web.ask({ method: 'GET', url: start, headers })
        assert.equal(statusCode, 302, start)
        assert.equal(new URL(String(led.location), `http://a.example/below${start}`).href, 'http://a.example/below/')
        assert.equal((await web.ask({ method: 'HEAD', url, headers })).body, '')
        assert.equal(said(await web.ask({ method: 'GET', url })), '404 request.not_found', url)
        assert.equal(said(await web.ask({ method: 'POST', url, headers })), '404 request.not_found', url)
      }
      for (const url of ['/v1/none', '/d/a/b/c/d/e', '/assets/none.js', '/preview/none', '/problems/none', '/v1/%zz'])
        assert.equal(said(await web.ask({ method: 'GET', url, headers })), '404 request.not_found', url)
    }),
  )

  it(
    'are not needed for that: without them all get a problem',
    inWorld(async (world) => {
      const asked = overHttp(world).ask({ method: 'GET', url: '/none', headers: { accept: 'text/html' } })
      assert.equal(said(await asked), '404 request.not_found')
    }),
  )

  it(
    'take the code of an invite back into the fragment when a program has rewritten its #, and say so',
    inWeb(async (web) => {
      const headers = { accept: 'text/html' }
      for (const url of ['/%23/register?invite=5f81-6b8f', '/%2523%252Fregister%253Finvite%253D5f81-6b8f']) {
        const reply = await web.ask({ method: 'GET', url, headers })
        assert.equal(reply.statusCode, 302, url)
        const target = new URL(String(reply.headers.location), `http://a.example/below${url}`)
        assert.equal(target.href, 'http://a.example/below/#/register?invite=5f81-6b8f&exposed')
        assert.equal(said(await web.ask({ method: 'GET', url })), '404 request.not_found', url)
      }
      assert.ok(!web.logged.some((line) => line.includes('5f81')))
    }),
  )

  it(
    'are logged by their route, without the id in their address or a key whose # a program has rewritten',
    inWeb(async (web) => {
      for (const end of ['?x=5f816b8f', '%235f816b8f', '%25235f816b8f).', '?x=1%235f816b8f', '%235f816b8f/'])
        await web.ask({ method: 'GET', url: `/u/5f816b8fae607932ed5b0eca8db6196d${end}` })
      assert.ok(web.logged.some((line) => line.includes('"route":"/u/:opaque_id"')))
      assert.ok(!web.logged.some((line) => line.includes('5f816b8f')))
    }),
  )

  it(
    'answer 503 and what to do while they are not built; the rest works',
    inWorld(async (world) => {
      const web = overHttp(world)
      for (const url of ['/', '/u/anything', '/v/anything']) {
        const reply = await web.ask({ method: 'GET', url })
        assert.equal(reply.statusCode, 503)
        assert.equal(reply.headers['content-type'], 'text/plain; charset=utf-8')
        assert.equal(reply.headers['cache-control'], 'no-store')
        assert.match(reply.body, /npm run build/)
      }
      assert.equal((await web.ask({ method: 'GET', url: '/v1/version' })).statusCode, 200)
    }),
  )
})
