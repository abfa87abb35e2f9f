import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseProtocolVersion } from '@blindkeep/protocol/ids'
import type { InjectOptions } from 'light-my-request'
import { announce, LEAD_DAYS } from '../testing/announcing.ts'
import { declaredFor, newAlbumOwner } from '../testing/assets.ts'
import { bytes } from '../testing/guest.ts'
import { overHttp, said, type Web } from '../testing/http.ts'
import { defined, inWorld, newOpaqueId, type World } from '../testing/world.ts'

const DAY = 86_400
const [OLD, GOOD] = ['2026-02-01', '2026-03-01']
const WARNING =
  '299 - "Writes with protocols below 2026-03-01 are refused from 2026-08-30T00:00:00.000Z, see /.well-known/service/deprecation"'

/** A world behind HTTP in which versions below 2026-03-01 end after 90 days. */
async function announced(world: World): Promise<Web> {
  const web = overHttp(world)
  await announce(world, '2026-03-01')
  await world.rules.protocolWindow.refresh()
  return web
}

const speaking = (version: string, request: InjectOptions): InjectOptions => ({
  ...request,
  headers: { ...request.headers, 'x-service-protocol': version },
})

/** A declaration of an upload, valid except for its version. */
async function uploadBody(
  world: World,
  protocolVersion: string,
  albumOwner: Awaited<ReturnType<typeof newAlbumOwner>>,
) {
  const version = defined(parseProtocolVersion(protocolVersion))
  const overrides = { protocolVersion: version, envelope: { protocol_version: version } }
  const declared = declaredFor(world, albumOwner, bytes(10), overrides)
  return {
    album_id: declared.albumId,
    size: declared.size,
    hash: declared.ciphertextHash,
    content_type: declared.contentType,
    blob_role: declared.role,
    crypto_suite_id: declared.suiteId,
    protocol_version: declared.protocolVersion,
    key_mode: declared.keyMode,
    manifest_envelope: declared.envelope,
  }
}

describe('a request below an announced cutoff', () => {
  it(
    'gets a warning on every answer, before and after the cutoff; a newer version gets none',
    inWorld(async (world) => {
      const web = await announced(world)
      for (const days of [0, LEAD_DAYS]) {
        world.clock.advance(days * DAY)
        const { authorization } = await web.signIn()
        const asked: readonly [InjectOptions, string][] = [
          [{ method: 'GET', url: '/v1/quota', headers: { authorization } }, '200'],
          [{ method: 'GET', url: '/v1/quota' }, '401 request.unauthenticated'],
          [{ method: 'GET', url: `/d/${newOpaqueId()}` }, '404 drop.link_not_found'],
          [{ method: 'DELETE', url: `/v1/drops/links/${newOpaqueId()}`, headers: { authorization } }, '204'],
        ]
        for (const [request, expected] of asked) {
          const warned = await web.ask(speaking(OLD, request))
          assert.deepEqual([said(warned), warned.headers.warning], [expected, WARNING])
          const good = await web.ask(speaking(GOOD, request))
          assert.deepEqual([said(good), good.headers.warning], [expected, undefined])
          assert.equal((await web.ask(request)).headers.warning, undefined)
        }
      }
    }),
  )

  it(
    'is recognized by the version in its body too',
    inWorld(async (world) => {
      const web = await announced(world)
      const albumOwner = await newAlbumOwner(world)
      const post = async (version: string) => {
        const { authorization } = await web.signIn(albumOwner.accountId)
        const payload = await uploadBody(world, version, albumOwner)
        return web.ask({ method: 'POST', url: '/v1/upload', headers: { authorization }, payload })
      }
      for (const [version, expected, warning] of [
        [OLD, '201', WARNING],
        [GOOD, '201', undefined],
      ] as const) {
        const reply = await post(version)
        assert.deepEqual([said(reply), reply.headers.warning], [expected, warning])
      }
      world.clock.advance(LEAD_DAYS * DAY)
      const refused = await post(OLD)
      assert.deepEqual([said(refused), refused.headers.warning], ['426 protocol.version_unsupported', WARNING])
      assert.equal(said(await post(GOOD)), '201')
    }),
  )

  it(
    'gets no warning where the version is not checked or is not a date',
    inWorld(async (world) => {
      const web = await announced(world)
      for (const url of ['/v1/version', '/.well-known/service/server-info', '/healthz'])
        assert.equal((await web.ask(speaking(OLD, { method: 'GET', url }))).headers.warning, undefined)
      const reply = await web.ask(speaking('2026-02-30', { method: 'GET', url: `/v1/assets/${randomUUID()}` }))
      assert.equal(reply.headers.warning, undefined)
    }),
  )

  it(
    'finds the cutoff in the documents, with a page for people if there is one',
    inWorld(async (world) => {
      const web = overHttp(world)
      const detail_url = 'https://keep.example/news?of=march'
      await announce(world, '2026-03-01', { detailUrl: detail_url })
      world.clock.advance(DAY)
      await announce(world, '2026-11-01')
      await world.rules.protocolWindow.refresh()
      const document = async (name: string) => (await web.ask({ url: `/.well-known/service/${name}` })).json()
      const { announcements } = await document('deprecation')
      assert.deepEqual(announcements, (await document('server-info')).deprecations)
      assert.deepEqual(announcements, [
        {
          min_protocol_version: '2026-03-01',
          announced_at: '2026-06-01T00:00:00.000Z',
          cutoff: '2026-08-30T00:00:00.000Z',
          detail_url,
        },
        {
          min_protocol_version: '2026-11-01',
          announced_at: '2026-06-02T00:00:00.000Z',
          cutoff: '2026-08-31T00:00:00.000Z',
        },
      ])
    }),
  )

  it(
    'finds new ETags on the documents after an announcement',
    inWorld(async (world) => {
      const web = overHttp(world)
      const names = ['server-info', 'deprecation']
      const etag = async (name: string) => (await web.ask({ url: `/.well-known/service/${name}` })).headers.etag
      const { refresh } = world.rules.protocolWindow
      for (const name of names) {
        const before = String(await etag(name))
        await announce(world, name === 'deprecation' ? '2026-06-01' : '2026-03-01')
        assert.equal(await etag(name), before, 'from memory, until it is heard of')
        await refresh()
        const reply = await web.ask({ url: `/.well-known/service/${name}`, headers: { 'if-none-match': before } })
        assert.equal(reply.statusCode, 200)
        assert.notEqual(reply.headers.etag, before)
      }
    }),
  )
})
