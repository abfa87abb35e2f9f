import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { json } from './call.ts'
import type { Client } from './client.ts'
import { expectAnswer } from './expect.ts'
import { verifyJwt } from './jwt.ts'
import { connect, NAMED, NEEDS_OWN_SERVER, newServer, ownServer } from './server.ts'
import { sha256, signUp } from './world.ts'

interface ServerInfo {
  readonly server_id: string
  readonly public_url: string
  readonly api_base_url: string
  readonly federation_url?: string
  readonly auth: { readonly login: string; readonly refresh: string; readonly logout: string }
  readonly protocol_version: { readonly min: string; readonly max: string }
  readonly signing_key: string
  readonly signing_algorithm: string
  readonly deprecations: readonly unknown[]
  readonly limits?: { readonly retention_days?: number }
}
interface PublishedKey {
  readonly key_id: string
  readonly public: string
  readonly algorithm: string
  readonly active_from: string
  readonly active_to?: string
}

const WELL_KNOWN = '/.well-known/service'
const DOCUMENTS = ['attestation-keys', 'deprecation', 'revoked-jti', 'server-info']
/** The documents with an ETag. The revocation list has none, because its body contains the time. */
const CACHED = {
  'attestation-keys': 'max-age=0, must-revalidate',
  deprecation: 'max-age=300',
  'server-info': 'max-age=300',
}

const server = await connect()
const get = (name: string, headers: Record<string, string> = {}, client: Client = server) =>
  client.send({ method: 'GET', path: `${WELL_KNOWN}/${name}`, headers })

// Covers: Discovery 1; Discovery 2; Discovery 3; Discovery 4; ServerInfoResponse; ServerInfoResponse, federation_url;
// AuthEndpointsResponse; ProtocolWindowResponse; AttestationKeysResponse; PublishedKeyResponse; RevokedJtiResponse;
// Authentication 5; Other operations, version probe; Limits, revocation list; Versioning 1; Versioning 2; Versioning
// 6; Requests
describe('discovery', () => {
  it('answers each document without a credential', async () => {
    for (const name of DOCUMENTS) assert.equal((await get(name)).status, 200, name)
  })

  it('answers each document with any Authorization header', async () => {
    for (const name of DOCUMENTS)
      for (const authorization of ['Bearer nonsense', 'Basic dTpw', ''])
        assert.equal((await get(name, { authorization })).status, 200, name)
  })

  it('publishes keys oldest first, of which only the last is active', async () => {
    const { keys } = json<{ keys: PublishedKey[] }>(await get('attestation-keys'))
    assert.ok(keys.length > 0)
    assert.deepEqual(
      keys.map((key) => key.active_to === undefined),
      keys.map((_, index) => index === keys.length - 1),
    )
    const starts = keys.map((key) => key.active_from)
    assert.deepEqual(starts, starts.toSorted())
  })

  it('names each key by the SHA-256 of its 1984 published bytes', async () => {
    const { keys } = json<{ keys: PublishedKey[] }>(await get('attestation-keys'))
    for (const key of keys) {
      const bytes = Buffer.from(key.public, 'base64')
      assert.equal(bytes.length, 32 + 1952)
      assert.equal(key.key_id, sha256(bytes))
      assert.equal(key.algorithm, 'hybrid-ed25519-mldsa65')
    }
  })

  it('names the same origin of the server in all documents', async () => {
    const info = json<ServerInfo>(await get('server-info'))
    const keys = json<{ server_id: string }>(await get('attestation-keys'))
    assert.equal(keys.server_id, info.server_id)
    assert.equal(new URL(info.server_id).origin, info.server_id)
  })

  it('announces the same deprecations at both places', async () => {
    const { announcements } = json<{ announcements: unknown[] }>(await get('deprecation'))
    assert.deepEqual(announcements, json<ServerInfo>(await get('server-info')).deprecations)
  })

  it('publishes an accepted window of protocol versions', async () => {
    const reply = await get('server-info')
    const { min, max } = json<ServerInfo>(reply).protocol_version
    assert.ok(min <= max)
    const version = await server.send({ method: 'GET', path: '/v1/version' })
    assert.deepEqual([version.headers['x-service-protocol-min'], version.headers['x-service-protocol-max']], [min, max])
  })

  it('publishes the key that verifies access tokens', async () => {
    const info = json<ServerInfo>(await get('server-info'))
    assert.equal(info.signing_algorithm, 'ed25519')
    verifyJwt((await signUp(server)).token, info.signing_key)
  })

  it('gives addresses that begin with the whole public URL, and the configured address for peers', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    const behind = await ownServer(NAMED)
    const info = json<ServerInfo>(await get('server-info', {}, behind))
    assert.equal(info.federation_url, NAMED.FEDERATION_URL)
    assert.equal(info.server_id, 'https://keep.example')
    assert.deepEqual(info.auth, {
      login: 'https://keep.example/below/v1/auth/login',
      refresh: 'https://keep.example/below/v1/auth/refresh',
      logout: 'https://keep.example/below/v1/auth/logout',
    })
    assert.equal(info.public_url, 'https://keep.example/below')
    assert.ok(info.api_base_url.startsWith('https://keep.example/below'), info.api_base_url)
    const document = json<{ servers: { url: string }[] }>(await behind.send({ method: 'GET', path: '/openapi.json' }))
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      ['https://keep.example/below'],
    )
  })

  it('states for how many days from now a manifest may retain its file', { skip: NEEDS_OWN_SERVER }, async () => {
    const bounded = await ownServer(NAMED)
    const { limits } = json<ServerInfo>(await get('server-info', {}, bounded))
    assert.equal(limits?.retention_days, 9)
  })

  it('names addresses at which a login opens a session', { skip: NEEDS_OWN_SERVER }, async () => {
    const info = json<ServerInfo>(await get('server-info'))
    assert.equal(info.server_id, server.base)
    assert.equal(info.auth.login, `${server.base}/v1/auth/login`)
    assert.ok(!('federation_url' in info), 'federation_url is absent when the server does not federate')
  })

  it('states the age of the revocation list in its body', async () => {
    const list = async () =>
      json<{ generated_at: string; max_staleness_seconds: number; revoked: { expires_at: string }[] }>(
        await get('revoked-jti'),
      )
    const first = await list()
    const second = await list()
    assert.ok(first.generated_at <= second.generated_at)
    assert.equal(first.max_staleness_seconds, 900)
    const ends = first.revoked.map(({ expires_at }) => expires_at)
    assert.deepEqual(ends, ends.toSorted(), 'soonest expiry first')
  })

  it('lets caches keep the revocation list for a minute, without an ETag', async () => {
    const { headers } = await get('revoked-jti')
    assert.match(String(headers['cache-control']), /\bmax-age=60\b/)
    assert.equal(headers.etag, undefined)
  })

  it('lets caches keep the other documents for five minutes, and the keys if they ask each time', async () => {
    for (const [name, directive] of Object.entries(CACHED)) {
      const { headers } = await get(name)
      assert.match(String(headers['cache-control']), /\bpublic\b/, name)
      assert.match(String(headers['cache-control']), new RegExp(`\\b${directive}\\b`), name)
    }
  })

  it('answers 304 to the ETag that a client has', async () => {
    for (const name of Object.keys(CACHED)) {
      const { etag } = (await get(name)).headers
      assert.match(String(etag), /^(W\/)?"[^"]+"$/, name)
      const opaque = String(etag).replace(/^W\//, '')
      for (const held of [opaque, `W/${opaque}`, `"other", ${opaque}`, '*']) {
        const reply = await get(name, { 'if-none-match': held })
        assert.equal(reply.status, 304, `${name} ${held}`)
        assert.equal(reply.headers.etag, etag)
      }
      assert.equal((await get(name, { 'if-none-match': '"other"' })).status, 200)
    }
  })

  it('answers HEAD like GET, without the body', async () => {
    for (const name of DOCUMENTS) {
      const head = (headers: Record<string, string> = {}) =>
        server.send({ method: 'HEAD', path: `${WELL_KNOWN}/${name}`, headers })
      const [headReply, getReply] = [await head(), await get(name)]
      assert.equal(headReply.status, 200, name)
      for (const header of ['content-type', 'content-length', 'cache-control', 'etag'])
        assert.equal(headReply.headers[header], getReply.headers[header], `${name} ${header}`)
      if (getReply.headers.etag !== undefined)
        assert.equal((await head({ 'if-none-match': getReply.headers.etag })).status, 304, name)
    }
  })

  it('answers the version probe with name and release', async () => {
    const probe = { method: 'GET', path: '/v1/version' }
    assert.equal((await server.send(probe)).status, 200)
    assert.equal((await server.send({ ...probe, token: 'nonsense' })).status, 200)
  })

  it('answers the version probe with any protocol header', async () => {
    for (const version of ['nonsense', '1999-01-01', '2999-01-01'])
      assert.equal(
        (await server.send({ method: 'GET', path: '/v1/version', headers: { 'x-service-protocol': version } })).status,
        200,
      )
  })

  it('serves an OpenAPI 3.2 document, and the same for readers of 3.1', async () => {
    for (const [path, version] of [
      ['/openapi.json', /^3\.2\./],
      ['/openapi-3.1.json', /^3\.1\./],
    ] as const) {
      const reply = await server.send({ method: 'GET', path })
      assert.match(json<{ openapi: string }>(reply).openapi, version)
      assert.match(String(reply.headers['content-type']), /^application\/(openapi\+)?json/)
      const headers = { 'if-none-match': String(reply.headers.etag) }
      for (const method of ['GET', 'HEAD'] as const)
        assert.equal((await server.send({ method, path, headers })).status, 304, path)
    }
  })

  it('answers the health probes, with and without a body', async () => {
    for (const path of ['/healthz', '/readyz'])
      for (const method of ['GET', 'HEAD'] as const) assert.equal((await server.send({ method, path })).status, 200)
  })

  it('is not ready while it ends, but serves until a load balancer has noticed', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    const { client, end } = await newServer({ DRAIN_SECONDS: '3' })
    const ended = end()
    const ready = () => client.send({ method: 'GET', path: '/readyz' })
    let answer = await ready()
    while (answer.status === 200) answer = await ready()
    assert.deepEqual([answer.status, json(answer)], [503, { status: 'failing', failing: ['draining'] }])
    assert.equal((await client.send({ method: 'HEAD', path: '/readyz' })).status, 503)
    assert.equal((await client.send({ method: 'GET', path: '/healthz' })).status, 200)
    assert.equal((await client.send({ method: 'GET', path: '/v1/version' })).status, 200)
    await ended
  })

  it('answers 404 to an unknown path', async () => {
    for (const path of [
      '/v1',
      '/v1/',
      '/v2/quota',
      '/V1/version',
      '/v1/quota/',
      '/d',
      '/.well-known/service',
      '/.well-known/service/keys',
    ])
      expectAnswer(await server.send({ method: 'GET', path }), '404 request.not_found', path)
  })
})

// Covers: Site
describe('what the operator says about itself', () => {
  const site = (client: Client, method = 'GET') => client.send({ method, path: '/v1/site' })

  it('is public', async () => {
    const reply = await site(server)
    assert.equal(reply.status, 200)
    const again = await server.send({ method: 'GET', path: '/v1/site', token: 'nonsense' })
    assert.deepEqual([again.status, json(again)], [200, json(reply)])
  })

  it('is nothing by default, or a name and addresses of pages, those that are set', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    assert.deepEqual(json(await site(server)), {})
    const named = await ownServer(NAMED)
    const reply = await site(named)
    assert.deepEqual(json(reply), { name: NAMED.SITE_NAME, privacy_url: NAMED.SITE_PRIVACY_URL })
    assert.equal(reply.headers['cache-control'], 'public, max-age=300')
    assert.equal((await site(named, 'HEAD')).headers['content-length'], reply.headers['content-length'])
  })
})
