import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import { bytes, newLink, openDrop } from '../testing/guest.ts'
import { chunkOf, declarationOf, MAX_CHUNK_BYTES, MAX_REQUEST_BYTES, overHttp, said } from '../testing/http.ts'
import { inWorld, newOpaqueId, sha256, type World } from '../testing/world.ts'

const content = bytes(100)
const UNKNOWN_ID = '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e8f'

async function opened(world: World): Promise<{ opaqueId: OpaqueId; uploadId: UploadId }> {
  const opaqueId = await newLink(world)
  return { opaqueId, uploadId: await openDrop(world, opaqueId, content) }
}

describe('the order of refusals', () => {
  it(
    'is route, method, credentials, headers, protocol, path ids, type, size, JSON',
    inWorld(async (world) => {
      const { ask, signIn } = overHttp(world)
      const { authorization } = await signIn()
      const tooLarge = 'x'.repeat(MAX_REQUEST_BYTES + 1)
      const all = { 'x-service-protocol': 'nonsense', 'content-type': 'text/plain', authorization }
      const post = async (url: string, headers: Record<string, string>, payload = tooLarge) =>
        said(await ask({ method: 'POST', url, headers, payload }))
      assert.equal(await post('/v1/nothing', { ...all, authorization: 'nonsense' }), '404 request.not_found')
      assert.equal(await post('/v1/quota', { ...all, authorization: 'nonsense' }), '405 request.method_not_allowed')
      assert.equal(await post('/v1/drops/links', { ...all, authorization: 'nonsense' }), '401 request.unauthenticated')
      assert.equal(await post('/v1/drops/links', all), '400 request.malformed')
      const old = { ...all, 'x-service-protocol': '2020-01-01' }
      assert.equal(await post('/v1/drops/links', old), '426 protocol.version_unsupported')
      assert.equal(await post('/d/nonsense', { ...old, 'idempotency-key': 'a b' }), '400 request.malformed')
      assert.equal(await post('/d/nonsense', old), '426 protocol.version_unsupported')
      assert.equal(await post('/d/nonsense', { 'content-type': 'text/plain' }), '404 drop.link_not_found')
      const link = `/d/${newOpaqueId()}`
      assert.equal(await post(link, { 'content-type': 'text/plain' }), '415 request.unsupported_media_type')
      const json = { 'content-type': 'application/json' }
      assert.equal(await post(link, json), '413')
      assert.equal(await post(link, json, '{'), '400 request.malformed')
      assert.equal(await post(link, json, '{}'), '422 request.unprocessable')
      assert.equal(await post(link, json, declarationOf(content, { size: 0 })), '400 request.malformed')
      assert.equal(await post(link, json, declarationOf(content, { kem_ct: '' })), '404 drop.link_not_found')
    }),
  )

  it(
    'for a chunk is session, type, headers, size of the body, repeat, offset, size of the file, bytes',
    inWorld(async (world) => {
      const { ask } = overHttp(world)
      const session = await opened(world)
      const tooLarge = bytes(MAX_CHUNK_BYTES + 1)
      const say = async (...parts: Parameters<typeof chunkOf>) => said(await ask(chunkOf(...parts)))
      const text = { 'content-type': 'text/plain' }
      assert.equal(await say({ ...session, uploadId: UNKNOWN_ID }, tooLarge, text), '404 upload.session_not_found')
      assert.equal(
        await say(session, tooLarge, { ...text, 'x-service-offset': '' }),
        '415 request.unsupported_media_type',
      )
      for (const offset of ['', '-1', '1.0', '0x1', ' ', '9007199254740992', '99999999999999999'])
        assert.equal(
          await say(session, tooLarge, { 'x-service-offset': offset, 'x-service-checksum': '' }),
          '400 upload.missing_offset',
        )
      for (const checksum of ['', 'A'.repeat(64), 'a'.repeat(63), `"${sha256(content)}"`])
        assert.equal(await say(session, tooLarge, { 'x-service-checksum': checksum }), '400 upload.missing_checksum')

      assert.equal(await say(session, content.subarray(0, 30)), '204')
      // The size of the body is checked before offset and repeat.
      assert.equal(await say(session, tooLarge, { 'x-service-checksum': sha256(content.subarray(0, 30)) }), '413')
      for (const offset of ['0', '5', '30', '99', '100', '5000'])
        assert.equal(await say(session, tooLarge, { 'x-service-offset': offset }), '413')

      const at = (offset: string) => ({ 'x-service-offset': offset })
      assert.equal(await say(session, bytes(30)), '409 upload.chunk_conflict')
      assert.equal(await say(session, bytes(5), at('31')), '409 upload.offset_mismatch')
      assert.equal(await say(session, bytes(71), at('30')), '409 upload.size_exceeded')
      assert.equal(
        await say(session, bytes(5), { ...at('30'), 'x-service-checksum': sha256(content) }),
        '409 upload.checksum_mismatch',
      )
      assert.equal(await say(session, new Uint8Array(), at('30')), '400 upload.empty_chunk')
      assert.equal(await say(session, content.subarray(30), at('30')), '204')
      assert.equal(await say(session, tooLarge, at('30')), '413')
      assert.equal(await say(session, bytes(1), at('30')), '409 upload.session_closed')
    }),
  )
})

describe('a path that cannot be decoded', () => {
  it(
    'is an unknown id to a guest, a malformed one to an account holder, and an unknown path without a row',
    inWorld(async (world) => {
      const { ask, signIn } = overHttp(world)
      const { authorization } = await signIn()
      const say = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, token = '') => {
        const reply = await ask({ method, url, headers: token === '' ? {} : { authorization: token } })
        assert.match(String(reply.headers['x-request-id']), /^[0-9a-f-]{36}$/)
        assert.equal(reply.headers['x-content-type-options'], 'nosniff')
        return said(reply)
      }
      assert.equal(await say('GET', '/d/%zz'), '404 drop.link_not_found')
      assert.equal(await say('DELETE', `/d/${newOpaqueId()}/%`), '404 upload.session_not_found')
      assert.equal(await say('PUT', '/d/%zz'), '405 request.method_not_allowed')
      assert.equal(await say('DELETE', '/v1/drops/%zz'), '401 request.unauthenticated')
      assert.equal(await say('DELETE', '/v1/drops/%zz', 'Bearer x'), '401 request.unauthenticated')
      assert.equal(await say('DELETE', '/v1/drops/%zz', authorization), '400 request.malformed')
      assert.equal(await say('GET', '/%zz'), '404 request.not_found')
    }),
  )

  it(
    'reveals nothing: unknown, malformed and undecodable links get the same answer',
    inWorld(async (world) => {
      const { ask } = overHttp(world)
      const seen = new Set<string>()
      for (const id of [newOpaqueId(), 'A'.repeat(32), '..%2f..', '%00', '%zz', `${newOpaqueId()}%0a`]) {
        const { statusCode, headers, body } = await ask({ method: 'GET', url: `/d/${id}` })
        const { date: _date, 'x-request-id': requestId, ...rest } = headers
        seen.add(JSON.stringify([statusCode, rest, body.replace(String(requestId), '')]))
      }
      assert.equal(seen.size, 1, [...seen].join('\n'))
    }),
  )
})

describe('an odd query', () => {
  it(
    'is malformed and never a failure',
    inWorld(async (world) => {
      const { ask, signIn, logged } = overHttp(world)
      const { authorization } = await signIn()
      const say = async (query: string) =>
        said(await ask({ method: 'DELETE', url: `/v1/drops?${query}`, headers: { authorization } }))
      for (const query of ['__proto__=1', 'constructor=1', 'hasOwnProperty', 'opaque_id=%zz', 'opaque_id[]=1'])
        assert.equal(await say(query), '400 request.malformed', query)
      assert.equal(await say(''), '422 request.unprocessable')
      assert.equal(await say(`opaque_id=${newOpaqueId()}`), '204')
      assert.ok(logged.every((line) => !line.includes('"failed"')))
    }),
  )
})

describe('an expiry', () => {
  it(
    'that is not a date-time of RFC 3339 is refused, and does not count as absent',
    inWorld(async (world) => {
      const { ask, signIn } = overHttp(world)
      const { authorization } = await signIn()
      const provisionWith = async (expires_at: unknown) => {
        const opaque_id = newOpaqueId()
        const reply = await ask({
          method: 'POST',
          url: '/v1/drops/links',
          headers: { authorization, 'content-type': 'application/json' },
          payload: JSON.stringify({ opaque_id, drop_pubkey: 'AAAA', crypto_suite_id: 1, expires_at }),
        })
        const link = await world.store.read((tx) => tx.links.find(opaque_id))
        return [said(reply), link?.expiresAt]
      }
      const REFUSED = ['400 request.malformed', undefined]
      for (const text of [
        '2026-12-31T00:00:00Z[Europe/Berlin]',
        '2026-12-31T00:00:00Z[u-ca=hebrew]',
        '2026-12-31T00:00:00+0100',
        '2026-12-31',
        '2026-02-29T00:00:00Z',
        '9999-12-31T23:59:59-00:01',
        '0000-01-01T00:00:00+00:01',
        '',
      ])
        assert.deepEqual(await provisionWith(text), REFUSED, text)
      assert.deepEqual(await provisionWith('2026-12-31T01:00:00.5+01:00'), [
        '201',
        Date.UTC(2026, 11, 31, 0, 0, 0, 500),
      ])
      assert.deepEqual(await provisionWith(null), ['201', undefined])
    }),
  )
})
