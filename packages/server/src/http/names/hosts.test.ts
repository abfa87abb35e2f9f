import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { listen, overHttp } from '../../testing/http.ts'
import { provedBody } from '../../testing/provedBody.ts'
import { inWorld } from '../../testing/world.ts'
import { createNaming } from './hosts.ts'

interface Target {
  readonly host?: readonly string[]
  readonly url?: string
  readonly httpVersion?: string
  readonly localAddress?: string
  readonly publicUrl?: string
  readonly formerUrls?: readonly string[]
}

const LOCAL = 'http://127.0.0.1:8080'

function namingOf({
  host = [],
  url = '/',
  httpVersion = '1.1',
  localAddress = '127.0.0.1',
  publicUrl = LOCAL,
  formerUrls,
}: Target) {
  const rawHeaders = ['Accept', '*/*', ...host.flatMap((each) => ['Host', each]), 'X-Host', 'x']
  return createNaming(publicUrl, formerUrls)({ url, httpVersion, rawHeaders, socket: { localAddress } })
}

const isOwn = (target: Target) => namingOf(target) === 'own'

describe('the host of a request', () => {
  it('may be a loopback name or address, with any port', () => {
    for (const host of [
      'localhost',
      'localhost:8080',
      'LOCALHOST:9000',
      'localhost.',
      '127.0.0.1',
      '127.0.0.1:8080',
      '127.1.2.3:80',
      '[::1]',
      '[::1]:8080',
      '[0:0:0:0:0:0:0:1]:8080',
      '[::ffff:127.0.0.1]:8080',
      '[::ffff:7f00:1]',
    ])
      assert.equal(isOwn({ host: [host] }), true, host)
  })

  it('may be that of PUBLIC_URL, with its port, the default port or none', () => {
    const publicUrl = 'https://Keep.example/below'
    for (const host of ['keep.example', 'KEEP.EXAMPLE', 'keep.example:443', 'keep.example.', 'keep.example.:443'])
      assert.equal(isOwn({ host: [host], publicUrl }), true, host)
    assert.equal(isOwn({ host: ['192.0.2.5:8080'], publicUrl: 'http://192.0.2.5:8080' }), true)
    assert.equal(isOwn({ host: ['[2001:db8::5]'], publicUrl: 'http://[2001:DB8:0::5]' }), true)
    assert.equal(isOwn({ host: ['keep.example'] }), false)
  })

  it('may be the address that the connection came in at, which no name server can change', () => {
    const publicUrl = 'http://nas.example:8080'
    const lan = { publicUrl, localAddress: '::ffff:192.168.1.5' }
    assert.equal(isOwn({ ...lan, host: ['192.168.1.5:8080'] }), true)
    assert.equal(isOwn({ ...lan, host: ['192.168.1.6:8080'] }), false)
    assert.equal(isOwn({ publicUrl, localAddress: 'fe80::5%eth0', host: ['[fe80::5]:8080'] }), true)
    assert.equal(isOwn({ host: ['0.0.0.0:8080'] }), false)
  })

  it('may not be any other name', () => {
    const publicUrl = 'https://keep.example'
    for (const host of [
      'evil.example',
      'evil.example:8080',
      'keep.example.evil.example',
      'evil-keep.example',
      'keep.example..',
      'xkeep.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '127.0.0.1@evil.example',
      'user@keep.example',
      'keep.example/',
      'keep.example:443:443',
      'keep.example:x',
      'keep.example, evil.example',
      '127.1',
      '2130706433',
      '[::1',
      '[localhost]',
      '[127.0.0.1]',
      '',
      ' ',
      '.',
      'k\u00e9ep.example',
    ])
      assert.equal(isOwn({ host: [host], publicUrl }), false, JSON.stringify(host))
  })

  it('is each of several, and that of an absolute address too', () => {
    assert.equal(isOwn({ host: ['127.0.0.1', 'evil.example'] }), false)
    assert.equal(isOwn({ host: ['evil.example', '127.0.0.1'] }), false)
    assert.equal(isOwn({ host: ['127.0.0.1'], url: 'http://127.0.0.1:8080/v1/version' }), true)
    assert.equal(isOwn({ host: ['127.0.0.1'], url: 'http://evil.example/v1/version' }), false)
    assert.equal(isOwn({ host: ['127.0.0.1'], url: 'HTTPS://evil.example?x' }), false)
    assert.equal(isOwn({ host: ['127.0.0.1'], url: 'http://127.0.0.1@evil.example/' }), false)
    assert.equal(isOwn({ host: ['127.0.0.1'], url: 'ftp://127.0.0.1/' }), false)
    assert.equal(isOwn({ host: ['127.0.0.1'], url: '*' }), true)
  })

  it('may be missing in HTTP/1.0, which browsers do not speak', () => {
    assert.equal(isOwn({ httpVersion: '1.0' }), true)
    assert.equal(isOwn({ httpVersion: '1.1' }), false)
    assert.equal(isOwn({ httpVersion: '1.0', host: ['evil.example'] }), false)
  })
})

describe('the host of a request to a server that has moved', () => {
  const publicUrl = 'https://new.example'
  const at = (formerUrl: string, host: string, more: Target = {}) =>
    namingOf({ publicUrl, formerUrls: [formerUrl], host: [host], ...more })

  it('may be a former name, which is whole where the address had this port and no path', () => {
    for (const host of ['old.example', 'OLD.example:443', 'old.example.', 'old.example:'])
      assert.equal(at('https://old.example', host), 'former_whole', host)
    assert.equal(at('https://old.example/', 'old.example'), 'former_whole')
    assert.equal(at('https://old.example/drop', 'old.example'), 'former')
    assert.equal(at('https://old.example', 'old.example:8443'), 'former')
    assert.equal(at('https://old.example:8443', 'old.example:8443'), 'former_whole')
    assert.equal(at('https://old.example:8443', 'old.example'), 'former')
    assert.equal(at('http://192.168.1.5:8080', '192.168.1.5:8080', { localAddress: '192.168.1.5' }), 'former_whole')
    assert.equal(at('http://[2001:DB8::5]', '[2001:db8:0::5]'), 'former_whole')
    const both = ['https://old.example/drop', 'https://old.example']
    assert.equal(namingOf({ publicUrl, formerUrls: both, host: ['old.example'] }), 'former')
  })

  it('stays its own where the present address has it, at whatever port, or where it is loopback', () => {
    assert.equal(at('http://new.example:8080', 'new.example:8080'), 'own')
    assert.equal(at('http://new.example', 'new.example:80'), 'own')
    for (const host of ['127.0.0.1:8080', 'localhost:8080', '[::1]:8080', '127.9.9.9'])
      assert.equal(at(`http://${host}`, host), 'own', host)
    const back = ['https://new.example', 'https://old.example']
    assert.equal(namingOf({ publicUrl, formerUrls: back, host: ['new.example'] }), 'own')
    assert.equal(namingOf({ publicUrl, formerUrls: back, host: ['old.example'] }), 'former_whole')
  })

  it('is no former one that only begins or ends like it, or stands beside another', () => {
    for (const host of [
      'old.example.evil.example',
      'evil-old.example',
      'old.example@evil.example',
      'x.old.example',
      'old',
    ])
      assert.equal(at('https://old.example', host), 'other', host)
    for (const host of [
      ['old.example', 'new.example'],
      ['new.example', 'old.example'],
      ['old.example', 'evil.example'],
    ])
      assert.equal(namingOf({ publicUrl, formerUrls: ['https://old.example'], host }), 'other', String(host))
    assert.equal(at('https://old.example', 'new.example', { url: 'https://old.example/' }), 'other')
    assert.equal(at('https://old.example', 'old.example', { url: 'https://old.example/' }), 'former_whole')
    assert.equal(at('https://old.example', 'old.example', { httpVersion: '1.0' }), 'former_whole')
  })
})

const EVIL = { host: 'evil.example' }
const MISDIRECTED = '421 error.request.misdirected'
const JSON_BODY = { 'content-type': 'application/json' }

describe('the gate of the host', () => {
  it(
    'comes before every other gate and refuses everything alike: operations, pages, unknown and undecodable paths',
    inWorld(async (world) => {
      const { ask } = overHttp(world)
      for (const url of ['/', '/u/x', '/v1/version', '/healthz', '/openapi.json', '/v1/quota', '/nowhere', '/d/%zz'])
        for (const method of ['GET', 'POST'] as const) {
          const reply = await ask({ method, url, headers: { ...EVIL, ...JSON_BODY }, payload: '{' })
          assert.equal(`${reply.statusCode} ${reply.json().code}`, MISDIRECTED, `${method} ${url}`)
          assert.ok(reply.headers['x-request-id'])
        }
    }),
  )

  it(
    'refuses a registration from a site that rebinds its name',
    inWorld(async (world) => {
      const { ask } = overHttp(world)
      const proving = { operation: 'register', serverId: world.settings.serverId, seed: randomBytes(32) } as const
      const json = await provedBody(ask, proving, { email: 'owner@example.org' })
      const register = (headers: Record<string, string>) =>
        ask({
          method: 'POST',
          url: '/v1/auth/register',
          headers: { ...JSON_BODY, ...headers },
          payload: JSON.stringify(json),
        })
      assert.equal((await register(EVIL)).statusCode, 421)
      assert.equal((await register({})).statusCode, 201)
    }),
  )

  it(
    'believes a proxy that TRUST_PROXY names, whatever Host it sends',
    inWorld(async (world) => {
      const direct = overHttp(world, { trustedProxies: ['192.0.2.1'] })
      const proxied = overHttp(world, { trustedProxies: ['127.0.0.1'] })
      const request = { method: 'GET', url: '/v1/version', headers: EVIL } as const
      assert.equal((await direct.ask(request)).statusCode, 421)
      assert.equal((await proxied.ask(request)).statusCode, 200)
    }),
  )

  it(
    'judges what a socket sends: two hosts, an absolute address, no host',
    inWorld(async (world) => {
      const { app } = overHttp(world)
      const port = await listen(app)
      try {
        const statusOf = async (head: string) => {
          const socket = connect(port, '127.0.0.1')
          socket.write(`${head}\r\nConnection: close\r\n\r\n`)
          let text = ''
          socket.setEncoding('latin1').on('data', (piece) => {
            text += piece
          })
          await once(socket, 'close')
          return Number(text.split(' ')[1])
        }
        assert.equal(await statusOf('GET /v1/version HTTP/1.1\r\nHost: 127.0.0.1'), 200)
        assert.equal(await statusOf('GET /v1/version HTTP/1.1\r\nHost: evil.example'), 421)
        assert.equal(await statusOf('GET /v1/version HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example'), 421)
        assert.equal(await statusOf('GET http://evil.example/v1/version HTTP/1.1\r\nHost: 127.0.0.1'), 421)
        assert.equal(await statusOf('GET http://127.0.0.1/v1/version HTTP/1.1\r\nHost: 127.0.0.1'), 200)
        assert.equal(await statusOf('GET /v1/version HTTP/1.0\r\nAccept: */*'), 200)
        assert.equal(await statusOf('GET /v1/version HTTP/1.1\r\nAccept: */*'), 400)
      } finally {
        await app.close()
      }
    }),
  )
})
