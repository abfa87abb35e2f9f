import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { openReceiver, type Receiver } from '../../../../../testing/receivers.ts'
import { createMessenger } from '../../adapters/messenger/messenger.ts'
import { accountLock, type Channel } from '../../ports/store.ts'
import { append, bytes, leaveFinishing, newLink, notRefused, openDrop, ownerOf } from '../../testing/guest.ts'
import { inWorld, type World } from '../../testing/world.ts'
import { noteChange } from '../changes/changes.ts'
import type { Rules } from '../rules.ts'
import { LEASE_SECONDS, MAX_ATTEMPTS, MAX_GATHERING_SECONDS, PAUSE_SECONDS, QUIET_SECONDS } from './attempt.ts'
import { LOOK_SECONDS } from './notifier.ts'

const never = new AbortController().signal

interface Notifying {
  readonly world: World
  readonly rules: Rules
  readonly receiver: Receiver
  readonly opaqueId: Awaited<ReturnType<typeof newLink>>
  readonly accountId: AccountId
  readonly secret: Uint8Array
  channel(): Promise<Channel>
  /** Lets the time pass, and the attempts that are due then end. */
  after(seconds: number, rules?: Rules): Promise<void>
  /** As after a restart: the same data, and nothing in memory. */
  restarted(): Rules
}

/** An account with a webhook to a real receiver on loopback. */
function notifying(work: (given: Notifying) => Promise<void>): () => Promise<void> {
  return inWorld(async (world) => {
    const receiver = await openReceiver()
    const { clock, keyring, settings } = world
    const networks = ['127.0.0.0/8']
    const { serverId } = settings
    const restarted = () =>
      world.rulesOver({
        messenger: createMessenger(
          { clock, pushSigner: keyring.pushSigner },
          { offered: ['webhook'], networks, serverId, mail: undefined },
        ),
      })
    const rules = restarted()
    try {
      const opaqueId = await newLink(world)
      const accountId = await ownerOf(world, opaqueId)
      const address = `http://127.0.0.1:${receiver.port}/hook`
      const added = notRefused(await rules.channels.add(accountId, { kind: 'webhook', address, token: undefined }))
      const after = async (seconds: number, { notifier } = rules) => {
        clock.advance(seconds)
        await notifier.tend(never)
        await notifier.isIdle()
      }
      await after(0)
      const channel = async () => {
        const [listed] = await world.store.read((tx) => tx.channels.listOf(accountId))
        assert.ok(listed)
        return listed
      }
      const secret = added.secret ?? new Uint8Array()
      await work({ world, rules, receiver, opaqueId, accountId, secret, channel, after, restarted })
    } finally {
      await receiver.close()
    }
  })
}

async function land({ world, rules, opaqueId }: Pick<Notifying, 'world' | 'rules' | 'opaqueId'>, count = 1) {
  for (let drop = 0; drop < count; drop += 1) {
    const content = bytes(100)
    const uploadId = await openDrop(world, opaqueId, content)
    notRefused(await append({ ...world, rules }, uploadId, { offset: 0, bytes: content }))
  }
}

const countsIn = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body).data.count)

describe('an owner with a channel', () => {
  it(
    'is notified of a small drop and of one that the sweep lands, in one message after a quiet moment',
    notifying(async (given) => {
      const { world, rules, receiver, after, channel, secret } = given
      await land(given)
      const finishing = bytes(300_000)
      await leaveFinishing(world, await openDrop(world, given.opaqueId, finishing), finishing)
      await rules.finishing.resume()
      await after(QUIET_SECONDS - 1)
      assert.equal(receiver.received.length, 0)
      await after(1)
      assert.deepEqual(countsIn(receiver), [2])
      const [post] = receiver.received
      assert.ok(post)
      const { headers, body } = post
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`)
      assert.equal((await channel()).sentAt, world.clock.now())
    }),
  )

  it(
    'gets at most one message a minute, and with steady drops one after half a minute',
    notifying(async (given) => {
      const { receiver, after } = given
      for (let second = 0; second < MAX_GATHERING_SECONDS; second += 3) {
        await land(given)
        await after(3)
      }
      assert.deepEqual(countsIn(receiver), [MAX_GATHERING_SECONDS / 3])
      await land(given, 2)
      await after(PAUSE_SECONDS - 1)
      assert.equal(receiver.received.length, 1)
      await after(1)
      assert.deepEqual(countsIn(receiver), [10, 2])
    }),
  )

  it(
    'gets at most ten messages a minute, also when channels are removed and added again',
    notifying(async (given) => {
      const { rules, receiver, accountId, after } = given
      const address = `http://127.0.0.1:${receiver.port}/hook`
      const times: number[] = []
      for (let round = 0; round < 40; round += 1) {
        const { channels } = rules
        for (const { channel } of await channels.list(accountId)) await channels.remove(accountId, channel.channelId)
        for (let count = 0; count < 10; count += 1)
          notRefused(
            await channels.add(accountId, { kind: 'webhook', address: `${address}/${count}`, token: undefined }),
          )
        await land(given)
        const before = receiver.received.length
        // Two attempts of an account are under way at a time.
        for (let look = 0; look < 6; look += 1) await after(look === 0 ? QUIET_SECONDS : 0)
        for (let count = before; count < receiver.received.length; count += 1) times.push(given.world.clock.now())
      }
      assert.ok(times.length >= 10)
      const worst = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length))
      assert.ok(worst <= 10, `${worst} in a minute`)
    }),
  )

  it(
    'is not notified of other changes, nor of what landed before the channel was added',
    notifying(async (given) => {
      const { rules, accountId, receiver, after, channel } = given
      await land(given)
      await after(QUIET_SECONDS)
      await rules.links.revoke(accountId, given.opaqueId)
      await after(PAUSE_SECONDS + LOOK_SECONDS)
      assert.deepEqual(countsIn(receiver), [1])
      const last = await given.world.store.read((tx) => tx.changes.lastSeq(accountId))
      assert.equal((await channel()).notifiedSeq, last, 'the other changes are not looked at again')
    }),
  )

  it(
    'is notified after a restart of what a killed server did not report, once',
    notifying(async (given) => {
      const { receiver, after, restarted } = given
      await land(given, 3)
      const next = restarted()
      await after(QUIET_SECONDS, next)
      assert.deepEqual(countsIn(receiver), [3])
      await after(PAUSE_SECONDS, next)
      await after(LOOK_SECONDS, restarted())
      assert.deepEqual(countsIn(receiver), [3])
    }),
  )

  it(
    'gets a message again under the same id when a process dies after the receiver had it',
    notifying(async (given) => {
      const { world, receiver, after, restarted } = given
      receiver.answer = 'never'
      await land(given)
      world.clock.advance(QUIET_SECONDS)
      const killed = new AbortController()
      const dying = restarted()
      await dying.notifier.tend(killed.signal)
      while (receiver.received.length === 0) await new Promise(setImmediate)
      killed.abort(new Error('killed'))
      await dying.notifier.isIdle()
      receiver.answer = 204
      await land(given, 2)
      await after(LEASE_SECONDS - 1)
      assert.equal(receiver.received.length, 1, 'the lease is not over')
      await after(1 + LOOK_SECONDS)
      assert.deepEqual(countsIn(receiver), [1, 1], 'the repeat has the same drops, not the later ones')
      const [first, second] = receiver.received
      assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
      await after(PAUSE_SECONDS)
      assert.deepEqual(countsIn(receiver), [1, 1, 2])
      assert.notEqual(receiver.received[2]?.headers['webhook-id'], first?.headers['webhook-id'])
    }),
  )

  it(
    'is notified once when several processes look at the same time',
    notifying(async (given) => {
      const { world, receiver, restarted } = given
      await land(given)
      world.clock.advance(QUIET_SECONDS)
      const nodes = Array.from({ length: 5 }, restarted)
      await Promise.all(nodes.map(({ notifier }) => notifier.tend(never)))
      await Promise.all(nodes.map(({ notifier }) => notifier.isIdle()))
      assert.deepEqual(countsIn(receiver), [1])
    }),
  )
})

describe('a channel that fails', () => {
  it(
    'is tried after pauses that grow, and reports everything in the end',
    notifying(async (given) => {
      const { world, receiver, after, channel } = given
      receiver.answer = 503
      await land(given)
      await after(QUIET_SECONDS)
      const pauses: number[] = []
      for (let attempt = 1; attempt <= 10; attempt += 1) {
        const { attempts, fault, dueAt } = await channel()
        assert.deepEqual([attempts, fault, receiver.received.length], [attempt, 'receiver_failed', attempt])
        const pause = (dueAt - world.clock.now()) / 1000
        await after(pause - 1)
        assert.equal(receiver.received.length, attempt, 'not before')
        pauses.push(pause)
        if (attempt === 10) receiver.answer = 204
        await after(1)
      }
      const longest = [15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
      for (const [at, pause] of pauses.entries())
        assert.ok((longest[at] ?? 0) / 2 <= pause && pause <= (longest[at] ?? 0), `${pauses}`)
      const { attempts, fault, sentAt } = await channel()
      assert.deepEqual([attempts, fault, sentAt], [0, undefined, world.clock.now()])
    }),
  )

  it(
    'is given up, visibly, and a test that arrives takes it up again with all that has landed',
    notifying(async (given) => {
      const { rules, accountId, world, receiver, after, channel } = given
      receiver.answer = 400
      await land(given)
      await after(QUIET_SECONDS)
      for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1)
        await after(((await channel()).dueAt - world.clock.now()) / 1000)
      const [listed] = await rules.channels.list(accountId)
      assert.deepEqual(
        [listed?.channel.state, listed?.channel.fault, listed?.channel.attempts],
        ['given_up', 'rejected', MAX_ATTEMPTS],
      )
      const { channelId } = await channel()
      await land(given, 2)
      await after(LOOK_SECONDS + QUIET_SECONDS)
      assert.equal(receiver.received.length, MAX_ATTEMPTS)
      assert.deepEqual(await rules.channels.test(accountId, channelId), { fault: 'rejected' })
      assert.equal((await channel()).state, 'given_up')
      receiver.answer = 204
      assert.deepEqual(await rules.channels.test(accountId, channelId), { fault: undefined })
      await after(LOOK_SECONDS)
      await after(PAUSE_SECONDS)
      assert.deepEqual(countsIn(receiver).slice(-2), [1, 2])
      assert.equal((await channel()).state, 'active')
    }),
  )

  it(
    'is given up at once when its receiver says that it is over',
    notifying(async (given) => {
      given.receiver.answer = 410
      await land(given)
      await given.after(QUIET_SECONDS)
      const { state, fault } = await given.channel()
      assert.deepEqual([state, fault], ['given_up', 'no_longer_there'])
    }),
  )

  it(
    'logs its kind and the class of the fault, and no part of its address',
    notifying(async (given) => {
      given.receiver.answer = 500
      await land(given)
      await given.after(QUIET_SECONDS)
      const lines = given.world.logged.filter(({ event }) => event.includes('channel'))
      assert.deepEqual(
        lines.map(({ facts }) => facts.fault),
        ['receiver_failed'],
      )
      const text = JSON.stringify(given.world.logged)
      assert.ok(!text.includes('127.0.0.1') && !text.includes('/hook') && !text.includes('words of the receiver'))
    }),
  )
})

describe('an account without a channel', () => {
  it('costs a landing no statement', async () => {
    const counts: number[] = []
    for (const offered of [[], ['webhook']] as const) {
      let statements = 0
      await inWorld(
        async (world) => {
          const { clock, keyring, settings } = world
          const { serverId } = settings
          const messenger = createMessenger(
            { clock, pushSigner: keyring.pushSigner },
            { offered, networks: [], serverId, mail: undefined },
          )
          const rules = world.rulesOver({ messenger })
          const opaqueId = await newLink(world)
          const content = bytes(100)
          const uploadId = await openDrop(world, opaqueId, content)
          statements = 0
          notRefused(await append({ ...world, rules }, uploadId, { offset: 0, bytes: content }))
          counts.push(statements)
        },
        {
          around: {
            store: (real) => ({
              ...real,
              read: (work) => real.read((tx) => work(counting(tx))),
              ask: (work) => real.ask((tx) => work(counting(tx))),
              write: (locks, work) => real.write(locks, (tx) => work(counting(tx))),
            }),
          },
        },
      )()
      function counting<Tx extends object>(tx: Tx): Tx {
        return new Proxy(tx, {
          get(target, noun) {
            statements += 1
            return Reflect.get(target, noun)
          },
        })
      }
    }
    assert.equal(counts[0], counts[1])
    assert.ok((counts[0] ?? 0) > 0)
  })
})

describe('a move of the server', () => {
  const [from, to] = ['https://old.example', 'https://keep.example']
  const move = ({ world: { store, clock }, accountId }: Notifying) =>
    store.write([accountLock(accountId)], (tx) =>
      noteChange(tx, accountId, { name: 'server.moved', from, to }, clock.now()),
    )
  const typesIn = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body).type)

  it(
    'has a message of its own, after that of what landed before it and before that of what landed after it',
    notifying(async (given) => {
      const { receiver, after, restarted } = given
      await land(given, 2)
      await move(given)
      await land(given)
      const rules = restarted()
      for (let message = 0; message < 4; message += 1) await after(PAUSE_SECONDS, rules)
      assert.deepEqual(typesIn(receiver), ['drops.landed', 'server.moved', 'drops.landed'])
      assert.deepEqual(countsIn(receiver), [2, undefined, 1])
    }),
  )

  it(
    'is sent again with the same id until the receiver takes it, and once only',
    notifying(async (given) => {
      const { receiver, after } = given
      await move(given)
      receiver.answer = 500
      await after(LOOK_SECONDS)
      receiver.answer = 204
      for (let look = 0; look < 3; look += 1) await after(LOOK_SECONDS)
      assert.deepEqual(typesIn(receiver), ['server.moved', 'server.moved'])
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    }),
  )

  it(
    'is given up like any other message',
    notifying(async (given) => {
      const { receiver, after, channel } = given
      await move(given)
      receiver.answer = 410
      for (let attempt = 0; attempt < MAX_ATTEMPTS + 5; attempt += 1) await after(3600)
      assert.equal((await channel()).state, 'given_up')
      assert.ok(receiver.received.length <= MAX_ATTEMPTS)
    }),
  )
})
