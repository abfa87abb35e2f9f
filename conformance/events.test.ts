import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { assertPrompt } from '../testing/prompt.ts'
import { until } from '../testing/until.ts'
import { adoptBody, newAuthor, newBundle, sendAdoption } from './assetWorld.ts'
import { type EventStream, listen, type StreamEvent } from './eventReader.ts'
import { expectAnswer } from './expect.ts'
import { connect } from './server.ts'
import { asOwner, land, newLink, onlyDrop, openSession, provision, quotaOf, revoke, signIn, signUp } from './world.ts'

const MAX_STREAMS = 16

const server = await connect()

/** Id and data of each event, except quota and link events, whose repeats may be joined. */
const exactly = (events: readonly StreamEvent[]) =>
  events.filter(({ name }) => name.startsWith('drop.') || name === 'asset.changed')

async function lastPlace(owner: Parameters<typeof listen>[0]): Promise<string> {
  const stream = await listen(owner)
  stream.cut()
  return String(stream.startId())
}

// Covers: Feed and events
describe('live events', () => {
  it('are a stream that starts with its position and must not be stored or buffered', async () => {
    const stream = await listen(await signUp(server))
    assert.match(String(stream.head.headers['content-type']), /^text\/event-stream\b/)
    assert.equal(stream.head.headers['cache-control'], 'no-store')
    assert.equal(stream.head.headers['x-accel-buffering'], 'no')
    assert.match(String(stream.startId()), /./)
    stream.cut()
  })

  it('report a landed drop and its link within a second', async () => {
    await assertPrompt(1000, async () => {
      const link = await newLink(server)
      const stream = await listen(link.owner)
      await land(link)
      const landedAt = performance.now()
      const landed = (await stream.upTo('drop.landed')).at(-1)
      const tookMs = performance.now() - landedAt
      const { drop_id } = await onlyDrop(link.owner)
      assert.deepEqual(landed?.data, { drop_id, opaque_id: link.opaqueId })
      stream.cut()
      return tookMs
    })
  })

  it('report changes of links, of their use, of the quota, of drops and of assets', async () => {
    const author = await newAuthor(server)
    const { owner } = author
    const stream = await listen(owner)
    const expectShown = async (name: string, data: object) =>
      assert.deepEqual((await stream.upTo(name)).at(-1)?.data, data, name)
    const link = await provision(owner)
    const ofLink = { opaque_id: link.opaqueId }
    await expectShown('link.changed', ofLink)
    await openSession(link, randomBytes(9))
    const session = [await stream.next(), await stream.next()].map((event) => event?.name).toSorted()
    assert.deepEqual(session, ['link.changed', 'quota.changed'])
    const original = randomBytes(20)
    await land(link, original)
    await stream.upTo('drop.landed')
    const { drop_id } = await onlyDrop(owner)
    const bundle = newBundle(author, { original })
    assert.equal((await sendAdoption(owner, drop_id, adoptBody(bundle))).status, 200)
    const adoption = await stream.upTo('drop.adopted')
    assert.deepEqual(adoption.at(-1)?.data, { drop_id, asset_id: bundle.assetId })
    assert.equal(adoption.find(({ name }) => name === 'asset.changed')?.data.asset_id, bundle.assetId)
    await land(link)
    const other = await onlyDrop(owner)
    await asOwner(owner, 'DELETE', `/v1/drops/${other.drop_id}`)
    await expectShown('drop.discarded', { drop_id: other.drop_id })
    await revoke(link)
    await expectShown('link.changed', ofLink)
    stream.cut()
  })

  it('continue after the last event, each exactly once, wherever the connection was cut', async () => {
    const link = await newLink(server)
    const before = await lastPlace(link.owner)
    for (let number = 0; number < 4; number += 1) await land(link, randomBytes(10))
    const all = await listen(link.owner, before)
    const heard: StreamEvent[] = []
    while (heard.filter(({ name }) => name === 'drop.landed').length < 4) heard.push(...(await all.upTo('drop.landed')))
    all.cut()
    const rest = async (stream: EventStream, count: number) => {
      const events: StreamEvent[] = []
      while (exactly(events).length < count) events.push(...(await stream.upTo('drop.landed')))
      stream.cut()
      return exactly(events)
    }
    for (const [at, { id }] of heard.slice(0, -1).entries()) {
      const wanted = exactly(heard.slice(at + 1))
      assert.deepEqual(await rest(await listen(link.owner, id), wanted.length), wanted)
    }
    const present = await listen(link.owner, heard.at(-1)?.id)
    await asOwner(link.owner, 'DELETE', `/v1/drops?opaque_id=${link.opaqueId}`)
    const after = exactly(await present.upTo('drop.discarded'))
    assert.deepEqual(
      after.map(({ name }) => name),
      ['drop.discarded'],
    )
    present.cut()
  })

  it('start with a reset when the last event id is not of the account, and continue from now', async () => {
    const link = await newLink(server)
    const foreign = await lastPlace((await newLink(server)).owner)
    const place = await lastPlace(link.owner)
    for (const id of ['nonsense', '0', `${place}0`, foreign]) {
      const stream = await listen(link.owner, id)
      const reset = await stream.next()
      assert.deepEqual([reset?.name, reset?.data, reset?.id], ['reset', {}, place], id)
      stream.cut()
    }
    const stream = await listen(link.owner, 'nonsense')
    await land(link)
    const names = (await stream.upTo('drop.landed')).map(({ name }) => name)
    assert.deepEqual([names[0], names.lastIndexOf('reset')], ['reset', 0])
    stream.cut()
  })

  it('are about changes of the caller’s account only', async () => {
    const [link, other] = [await newLink(server), await newLink(server)]
    const stream = await listen(link.owner)
    await land(other)
    await revoke(link)
    assert.deepEqual((await stream.next())?.data, { opaque_id: link.opaqueId })
    stream.cut()
  })

  it('end with their session, and with no other of the account', async () => {
    await assertPrompt(5000, async () => {
      const owner = await signUp(server)
      const other = await signIn(owner)
      const [stream, others] = [await listen(owner), await listen(other)]
      assert.equal((await asOwner(owner, 'POST', '/v1/auth/logout')).status, 204)
      const loggedOutAt = performance.now()
      while ((await stream.next()) !== undefined);
      const tookMs = performance.now() - loggedOutAt
      const link = await provision(other)
      await others.upTo('link.changed')
      assert.equal((await quotaOf(link.owner)).used, 0)
      others.cut()
      return tookMs
    })
  })

  it('are answered 403 for the 17th stream of an account, and 200 once one has ended', async () => {
    const owner = await signUp(server)
    const streams: EventStream[] = []
    for (let number = 0; number < MAX_STREAMS; number += 1) streams.push(await listen(owner))
    const call = { method: 'GET', path: '/v1/events', token: owner.token }
    expectAnswer(await server.send(call), '403 request.limit_reached')
    const stranger = await listen(await signUp(server))
    stranger.cut()
    streams.pop()?.cut()
    await until(async () => (await server.send(call)).status === 200, 'another stream is accepted')
    for (const stream of streams) stream.cut()
  })
})
