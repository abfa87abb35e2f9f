import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AccountId, addSeconds } from '@blindkeep/protocol/ids'
import type { Store } from '../../ports/store.ts'
import { bytes, land, newLink, notRefused, ownerOf } from '../../testing/guest.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import type { Caller } from '../account/sessions.ts'
import { rotateSigningKey } from '../discovery/signingKey.ts'
import { EVENTS_KEPT_SECONDS, type Listening, MAX_STREAMS } from './events.ts'

async function signIn({ rules }: World, accountId: AccountId): Promise<Caller> {
  const { accessToken } = await rules.sessions.open(accountId, undefined)
  return notRefused(await rules.sessions.authenticate(accessToken))
}

const listen = async ({ rules }: Pick<World, 'rules'>, caller: Caller, lastEventId?: string): Promise<Listening> =>
  notRefused(await rules.events.listen(caller, lastEventId))

const names = (events: Awaited<ReturnType<Listening['next']>>) =>
  events === 'over' ? events : events.map(({ event }) => event?.name ?? 'position')

/** An account with a link, a signed-in caller, and the id of the present position. */
async function setting(world: World) {
  const opaqueId = await newLink(world)
  const caller = await signIn(world, await ownerOf(world, opaqueId))
  const listening = await listen(world, caller)
  const [first] = await listening.next()
  listening.leave()
  return { opaqueId, caller, id: defined(typeof first === 'object' ? first.id : undefined) }
}

describe('an event stream', () => {
  it(
    'begins with its position, and returns the later changes',
    inWorld(async (world) => {
      const { opaqueId, caller, id } = await setting(world)
      const listening = await listen(world, caller)
      assert.deepEqual(await listening.next(), [{ id, event: undefined }])
      assert.deepEqual(await listening.next(), [])
      await land(world, opaqueId, bytes(5))
      assert.deepEqual(names(await listening.next()), ['quota.changed', 'drop.landed', 'link.changed'])
      assert.deepEqual(await listening.next(), [])
    }),
  )

  it(
    'continues after an event across a restart, with each event exactly once',
    inWorld(async (world) => {
      const { opaqueId, caller, id } = await setting(world)
      await land(world, opaqueId, bytes(5))
      const whole = await (await listen(world, caller, id)).next()
      assert.ok(whole !== 'over' && whole.length === 3)
      const restarted = { rules: world.restarted() }
      for (const [at, { id: lastId }] of whole.entries()) {
        const listening = await listen(restarted, caller, lastId)
        assert.deepEqual(await listening.next(), whole.slice(at + 1))
        listening.leave()
      }
    }),
  )

  it(
    'resets after an id of another count, beyond the count, or of a pruned event',
    inWorld(async (world) => {
      const { opaqueId, caller, id } = await setting(world)
      const other = await setting(world)
      const [prefix] = id.split('-')
      const wrong = ['', 'x', `${prefix}-`, `${prefix}-2`, `${prefix}-01`, `${prefix}--1`, `${prefix}-1e0`, other.id]
      for (const lastId of wrong) {
        const listening = await listen(world, caller, lastId)
        assert.deepEqual(await listening.next(), [{ id, event: { name: 'reset' } }], lastId)
        assert.deepEqual(await listening.next(), [])
        listening.leave()
      }
      await land(world, opaqueId, bytes(5))
      world.clock.advance(EVENTS_KEPT_SECONDS + 1)
      await land(world, opaqueId, bytes(5))
      await world.rules.sweep.sweep()
      const again = await signIn(world, caller.account.accountId)
      assert.deepEqual(names(await (await listen(world, again, id)).next()), ['reset'])
      const middle = `${prefix}-5`
      assert.deepEqual(names(await (await listen(world, again, middle)).next()), [
        'quota.changed',
        'drop.landed',
        'link.changed',
      ])
    }),
  )

  it(
    'resets when an event in the middle is missing',
    inWorld(async (world) => {
      const { opaqueId, caller, id } = await setting(world)
      const listening = await listen(world, caller, id)
      // The clock is set back before pruning, so a later event has an earlier time.
      world.clock.advance(-100)
      await land(world, opaqueId, bytes(5))
      world.clock.advance(100)
      const before = addSeconds(world.clock.now(), -50)
      await world.store.write([], (tx) => tx.changes.pruneEvents(before, 1))
      assert.deepEqual(names(await listening.next()), ['reset'])
      assert.deepEqual(await listening.next(), [])
    }),
  )

  it('reads nothing while nothing is committed, and ends all the same', async () => {
    let reads = 0
    const counting = (real: Store): Store => ({
      ...real,
      read: (work) => {
        reads += 1
        return real.read(work)
      },
    })
    await inWorld(
      async (world) => {
        const { opaqueId, caller } = await setting(world)
        const streams = await Promise.all([listen(world, caller), listen(world, caller)])
        for (const stream of streams) assert.deepEqual(names(await stream.next()), ['position'])
        reads = 0
        for (const stream of [...streams, ...streams]) assert.deepEqual(await stream.next(), [])
        assert.equal(reads, 0)
        await land(world, opaqueId, bytes(5))
        for (const stream of streams) assert.equal((await stream.next()).length, 3)
        await world.rules.sessions.open(caller.account.accountId, undefined)
        world.clock.advance(world.settings.accessTokenSeconds)
        for (const stream of streams) assert.equal(await stream.next(), 'over')
      },
      { around: { store: counting } },
    )()
  })

  it(
    'is over when its session ends, and when its access token expires',
    inWorld(async (world) => {
      const { caller } = await setting(world)
      const first = await listen(world, caller)
      const second = await listen(world, await signIn(world, caller.account.accountId))
      await world.rules.sessions.end(caller)
      assert.equal(await first.next(), 'over')
      assert.deepEqual(names(await second.next()), ['position'])
      world.clock.advance(world.settings.accessTokenSeconds)
      assert.equal(await second.next(), 'over')
    }),
  )

  it(
    'is over within five seconds of a rotation of the signing key',
    inWorld(async (world) => {
      const { caller } = await setting(world)
      const listening = await listen(world, caller)
      assert.deepEqual(names(await listening.next()), ['position'])
      await rotateSigningKey(world)
      world.clock.advance(5)
      assert.equal(await listening.next(), 'over')
    }),
  )

  it(
    'counts towards the limit of its account until it is left',
    inWorld(async (world) => {
      const caller = await signIn(world, await newAccount(world))
      const stranger = await signIn(world, await newAccount(world))
      const all = await Promise.all(Array.from({ length: MAX_STREAMS }, () => listen(world, caller)))
      const refused = async () => 'refused' in (await world.rules.events.listen(caller, undefined))
      assert.ok(await refused())
      await listen(world, stranger)
      all[0]?.leave()
      all[0]?.leave()
      await listen(world, caller)
      assert.ok(await refused())
    }),
  )

  it(
    'is woken by commits that change its account, also by one before it waited, and by no others',
    inWorld(async (world) => {
      const { opaqueId, caller } = await setting(world)
      const other = await newLink(world)
      const listening = await listen(world, caller)
      let woken = 0
      const wake = () => {
        woken += 1
      }
      const wait = () => listening.onNews(wake)
      wait()
      await land(world, other, bytes(5))
      assert.equal(woken, 0)
      await land(world, opaqueId, bytes(5))
      assert.equal(woken, 1)
      wait()
      assert.equal(woken, 2, 'the landing came after the creation')
      wait()
      assert.equal(woken, 2)
      listening.leave()
      await land(world, opaqueId, bytes(5))
      assert.equal(woken, 2)
    }),
  )
})
