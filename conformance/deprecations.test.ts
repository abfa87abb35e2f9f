/** Cutoffs that an operator announces, and what requests below them are told (specification, Versioning, 4). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { json, type Reply } from './client.ts'
import { expectSaid, said, until } from './expect.ts'
import { NEEDS_OWN_SERVER, type OperatedServer, operatedServer } from './server.ts'
import { asOwner, chunkHeaders, linkBody, openSession, provision, sessionPath, signUp } from './world.ts'

const skip = NEEDS_OWN_SERVER
/** A new announcement shows in answers within this time. */
const HEARD_MS = 5_000
const DAY_MS = 86_400_000
/** Before both announcements, between them, and at the second. */
const [OLD, BETWEEN, GOOD] = ['2026-02-01', '2026-04-01', '2026-06-01']

interface Announcement {
  readonly min_protocol_version: string
  readonly announced_at: string
  readonly cutoff: string
  readonly detail_url?: string
}

/** A server with one cutoff that has passed, at 2026-03-01, and one far ahead, at 2026-06-01. */
async function announcingServer(): Promise<OperatedServer & { readonly announced: readonly unknown[] }> {
  const settings = { PROTOCOL_MIN: '2026-01-01', PROTOCOL_MAX: '2026-11-01', DEPRECATION_LEAD_DAYS: '0' }
  const server = await operatedServer(settings)
  const announce = (date: string, aheadMs: number, ...more: readonly string[]) =>
    server.operate(
      ...['deprecation', 'announce', '--min-version', date],
      ...['--cutoff', new Date(Date.now() + aheadMs).toISOString(), ...more],
    )
  // A cutoff has to be ahead still when the command gets there, however busy the machine is.
  const first = await announce('2026-03-01', 1_000).catch(() => announce('2026-03-01', 15_000))
  const second = await announce('2026-06-01', 100 * DAY_MS, '--detail-url', 'https://keep.example/news')
  return { ...server, announced: [first, second] }
}

const started = skip === false ? announcingServer() : undefined
async function announcing() {
  if (started === undefined) throw new Error('these tests need a server of their own')
  return started
}

describe('an announced cutoff', () => {
  it('stands at both places as it was announced, in that order, and in the operator’s list, for good', {
    skip,
  }, async () => {
    const { client, operate, announced } = await announcing()
    const get = async (name: string) => client.send({ method: 'GET', path: `/.well-known/service/${name}` })
    const { announcements } = json<{ announcements: Announcement[] }>(await get('deprecation'))
    assert.deepEqual(announcements, announced)
    assert.deepEqual(json<{ deprecations: unknown }>(await get('server-info')).deprecations, announced)
    assert.deepEqual(await operate('deprecation', 'list'), { announcements: announced })
    const [first, second] = announcements
    assert.equal(first?.min_protocol_version, '2026-03-01')
    assert.equal(second?.detail_url, 'https://keep.example/news')
    assert.ok(String(first?.announced_at) <= String(second?.announced_at))
    const later = new Date(Date.now() + 200 * DAY_MS).toISOString()
    await assert.rejects(operate('deprecation', 'announce', '--min-version', '2026-05-01', '--cutoff', later))
  })

  it('raises the window when it passes: 426 with Warning below it, a Warning alone before it, and none above', {
    skip,
  }, async () => {
    const { client } = await announcing()
    const owner = await signUp(client)
    const create = (version: string): Promise<Reply> =>
      client.send({
        method: 'POST',
        path: '/v1/drops/links',
        token: owner.token,
        json: linkBody(),
        headers: { 'x-service-protocol': version },
      })
    await until(
      async () => said(await create(OLD)) === '426 protocol.version_unsupported',
      'the cutoff passes and is heard of',
      15_000 + HEARD_MS,
    )
    const refused = await create(OLD)
    assert.match(String(refused.headers.warning), /2026-02-01/)
    assert.deepEqual(
      [refused.headers['x-service-protocol-min'], refused.headers['x-service-protocol-max']],
      ['2026-03-01', '2026-11-01'],
    )
    const info = json<{ protocol_version: unknown }>(
      await client.send({ method: 'GET', path: '/.well-known/service/server-info' }),
    )
    assert.deepEqual(info.protocol_version, { min: '2026-03-01', max: '2026-11-01' })
    await until(async () => (await create(BETWEEN)).headers.warning !== undefined, 'the second is heard of', HEARD_MS)
    expectSaid(await create(BETWEEN), '201')
    const good = await create(GOOD)
    expectSaid(good, '201')
    assert.equal(good.headers.warning, undefined)
  })

  it('warns reads and what was begun, and stops neither', { skip }, async () => {
    const { client } = await announcing()
    const owner = await signUp(client)
    const file = Buffer.from('begun before')
    const session = await openSession(await provision(owner), file)
    const headers = { 'x-service-protocol': OLD }
    const read = () => client.send({ method: 'GET', path: '/v1/quota', token: owner.token, headers })
    await until(async () => (await read()).headers.warning !== undefined, 'the announcement is heard of', HEARD_MS)
    expectSaid(await read(), '200')
    const path = sessionPath(session)
    const chunk = await client.send({
      method: 'PATCH',
      path,
      body: file,
      headers: { ...chunkHeaders(0, file), ...headers },
    })
    expectSaid(chunk, '204')
    assert.ok(chunk.headers.warning !== undefined)
    assert.equal((await asOwner(owner, 'GET', '/v1/quota')).headers.warning, undefined)
  })
})
