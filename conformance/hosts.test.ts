/** A request's host. Web pages give their names any address: servers refuse foreign ones (DNS rebinding). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newKey, proved } from './proving.ts'
import { rawStatus, sendRaw } from './rawSocket.ts'
import { NEEDS_OWN_SERVER, ownProcess } from './server.ts'

const PATHS = ['/', '/v1/version', '/healthz', '/openapi.json', '/v1/quota', '/nowhere', '/d/%zz', '/u/x']

// Covers: Requests
describe('the host of a request', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const keep = await ownProcess({ PUBLIC_URL: 'https://keep.example/below', REGISTRATION: 'open' })
  const { base } = keep
  const behind = (await ownProcess({ TRUST_PROXY: '127.0.0.1' })).base
  const { port } = new URL(base)

  const send = (at: string, lines: readonly string[], body = '') =>
    sendRaw({ base: at, pieces: [[...lines, 'connection: close', '', body].join('\r\n')] })
  const get = async (host: string, path = '/v1/version', at = base) =>
    rawStatus(await send(at, [`GET ${path} HTTP/1.1`, `host: ${host}`]))

  it('may be a loopback name or address, or that of PUBLIC_URL', async () => {
    for (const host of ['127.0.0.1', 'localhost', `localhost:${port}`, `127.0.0.1:${port}`, '[::1]', 'LocalHost:1'])
      assert.equal(await get(host), 200, host)
    for (const host of ['keep.example', 'keep.example:443', 'Keep.Example.']) assert.equal(await get(host), 200, host)
  })

  it('is refused with 421 when it is any other name, for every path', async () => {
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      'keep.example.evil.example',
      '',
    ])
      for (const path of PATHS) assert.equal(await get(host, path), 421, `${host} ${path}`)
    const received = await send(base, ['GET /v1/quota HTTP/1.1', 'host: evil.example'])
    const problem = JSON.parse(received.slice(received.indexOf('\r\n\r\n')))
    assert.equal(problem.code, 'error.request.misdirected')
    assert.equal(problem.status, 421)
    assert.match(received, /^content-type: application\/problem\+json/im)
  })

  it('protects registration, also when it is open', async () => {
    const call = { method: 'POST', path: '/v1/auth/register', json: { email: 'owner@host.example' } }
    const json = JSON.stringify((await proved(keep, newKey(), call)).json)
    const register = (host: string) =>
      send(
        base,
        [
          'POST /v1/auth/register HTTP/1.1',
          `host: ${host}`,
          'content-type: application/json',
          `content-length: ${Buffer.byteLength(json)}`,
        ],
        json,
      )
    assert.equal(rawStatus(await register('evil.example')), 421)
    assert.equal(rawStatus(await register('127.0.0.1')), 201)
  })

  it('is every host that a request names', async () => {
    const statusOf = async (...lines: readonly string[]) => rawStatus(await send(base, lines))
    const line = 'GET /v1/version HTTP/1.1'
    assert.equal(await statusOf(line, 'host: localhost', 'host: evil.example'), 421)
    assert.equal(await statusOf('GET http://evil.example/v1/version HTTP/1.1', 'host: localhost'), 421)
    assert.equal(await statusOf('GET http://localhost/v1/version HTTP/1.1', 'host: localhost'), 200)
    assert.equal(await statusOf(line, 'x-forwarded-host: localhost', 'host: evil.example'), 421)
    assert.equal(await statusOf('GET /v1/version HTTP/1.0'), 200, 'only HTTP/1.0 may leave it out')
    assert.equal(await statusOf(line), 400)
  })

  it('may be any name when a proxy that TRUST_PROXY names sends the request', async () => {
    assert.equal(await get('evil.example', '/v1/version', behind), 200)
  })
})
