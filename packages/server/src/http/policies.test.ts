/** Every answer has the policy that is declared for its path, whatever its status. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { operations } from '@blindkeep/protocol/operations'
import type { InjectOptions } from 'light-my-request'
import type { Pages } from '../ports/pages.ts'
import { listen, overHttp } from '../testing/http.ts'
import { inWorld } from '../testing/world.ts'

const page = { mediaType: 'text/html; charset=utf-8', bytes: Buffer.from('page'), coded: {}, version: 'version' }
const pages: Pages = new Map(
  [
    'index.html',
    'u/index.html',
    'unknown/index.html',
    'assets/a.js',
    'preview/index.html',
    'push/worker.js',
    'take/worker.js',
  ].map((name) => [name, page]),
)
const OF_DATA = "default-src 'none'; frame-ancestors 'none'; sandbox"
const OF_PROBLEMS =
  /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox$/
const OF_PAGES =
  /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[^']+'; .*; trusted-types blindkeep-worker$/
const ACCEPT = { accept: 'text/html' }

describe('the policy of an answer', () => {
  it(
    'is that of data at the path of every operation, with any method',
    inWorld(async (world) => {
      const web = overHttp(world, { pages })
      for (const { path } of Object.values(operations).filter((each) => !each.path.startsWith('/problems/')))
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
          const { headers, statusCode } = await web.ask({ method, url: path.replaceAll(/\{\w+\}/g, 'none') })
          assert.equal(headers['content-security-policy'], OF_DATA, `${method} ${path} ${statusCode}`)
        }
    }),
  )

  it(
    'is that of its path for refusals, redirects, 304 and unknown paths',
    inWorld(async (world) => {
      const web = overHttp(world, { pages })
      const { authorization } = await web.signIn()
      const asked: readonly (readonly [status: number, policy: RegExp | string, request: InjectOptions])[] = [
        [200, OF_DATA, { method: 'GET', url: '/v1/quota', headers: { authorization } }],
        [401, OF_DATA, { method: 'GET', url: '/v1/quota' }],
        [404, OF_DATA, { method: 'GET', url: '/v1/nothing' }],
        [404, OF_DATA, { method: 'GET', url: '/v1/%zz' }],
        [421, OF_DATA, { method: 'GET', url: '/v1/version', headers: { host: 'evil.example' } }],
        [304, OF_DATA, { method: 'GET', url: '/openapi.json', headers: { 'if-none-match': '*' } }],
        [200, OF_PROBLEMS, { method: 'GET', url: '/problems/error.request.not_found' }],
        [404, OF_PROBLEMS, { method: 'GET', url: '/problems/nothing' }],
        [200, OF_PAGES, { method: 'GET', url: '/' }],
        [304, OF_PAGES, { method: 'GET', url: '/u/x', headers: { 'if-none-match': '*' } }],
        [302, OF_PAGES, { method: 'GET', url: '/U/x', headers: ACCEPT }],
        [404, OF_PAGES, { method: 'GET', url: '/nothing' }],
        [404, OF_PAGES, { method: 'GET', url: '/nothing', headers: ACCEPT }],
        [404, OF_PAGES, { method: 'GET', url: '/%zz' }],
        [405, OF_PAGES, { method: 'POST', url: '/v/x' }],
        [421, OF_PAGES, { method: 'GET', url: '/', headers: { host: 'evil.example' } }],
        [404, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; /, { method: 'GET', url: '/assets/none.js' }],
        [404, /^sandbox allow-scripts; /, { method: 'GET', url: '/preview/none.js' }],
        [405, /^default-src 'none'; base-uri 'none'; frame-ancestors 'none'$/, { method: 'POST', url: '/take/' }],
      ]
      for (const [status, policy, request] of asked) {
        const { statusCode, headers } = await web.ask(request)
        const given = String(headers['content-security-policy'])
        assert.equal(statusCode, status, JSON.stringify(request))
        if (typeof policy === 'string') assert.equal(given, policy, JSON.stringify(request))
        else assert.match(given, policy, JSON.stringify(request))
      }
    }),
  )

  it(
    'is that of data for bytes and answers whose path is spelt with escapes',
    inWorld(async (world) => {
      const { statusCode, headers } = await overHttp(world, { pages }).ask({ method: 'GET', url: '/%76%31/version' })
      assert.deepEqual([statusCode, headers['content-security-policy']], [200, OF_DATA])
    }),
  )

  it(
    'is that of data where a request does not reach a route: a page of another site can lead a browser there',
    inWorld(async (world) => {
      const { app } = overHttp(world, { pages })
      const port = await listen(app)
      try {
        for (const [request, status] of [
          [`GET /u/${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
          ['GET / HTTP/1.1\r\nHost: localhost\r\nNo header\r\n\r\n', 400],
          ['CONNECT other:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
        ] as const) {
          const socket = connect(port, '127.0.0.1').setEncoding('utf8')
          socket.write(request)
          const answer = await text(socket)
          assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer)
          assert.ok(answer.includes(`\r\nContent-Security-Policy: ${OF_DATA}\r\nX-Content-Type-Options: nosniff\r\n`))
        }
      } finally {
        await app.close()
      }
    }),
  )

  it(
    'is there before the pages are built',
    inWorld(async (world) => {
      const { statusCode, headers } = await overHttp(world).ask({ method: 'GET', url: '/' })
      assert.equal(statusCode, 503)
      assert.match(String(headers['content-security-policy']), OF_PAGES)
    }),
  )
})
