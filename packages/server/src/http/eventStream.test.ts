import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { assetId, dropId, opaqueId } from '../contracts/store/world.ts'
import { noteChange } from '../domain/changes/changes.ts'
import type { Change } from '../ports/store.ts'
import { bytes, land, newLink, notRefused, ownerOf } from '../testing/guest.ts'
import { listen, overHttp, type Web } from '../testing/http.ts'
import { inWorld, newAccount, type World } from '../testing/world.ts'
import { eventStream, type StreamTimes } from './eventStream.ts'

/** An hour: longer than any test. */
const NEVER = 3_600_000
const SLOW: StreamTimes = { tick: NEVER, rest: 0, heartbeat: NEVER, stall: NEVER, closing: NEVER }

async function streamOf(world: World, accountId: AccountId, times: Partial<StreamTimes>) {
  const { accessToken } = await world.rules.sessions.open(accountId, undefined)
  const caller = notRefused(await world.rules.sessions.authenticate(accessToken))
  const [disconnected, closing] = [new AbortController(), new AbortController()]
  const life = { disconnected: disconnected.signal, closing: closing.signal, times: { ...SLOW, ...times } }
  const stream = eventStream(notRefused(await world.rules.events.listen(caller, undefined)), life)
  const pieces = stream.events[Symbol.asyncIterator]()
  const next = async () => {
    const { done, value } = await pieces.next()
    return done === true ? 'end' : Buffer.from(value).toString()
  }
  return { disconnected, closing, until: stream.until, pieces, next, caller }
}

describe('the bytes of an event stream', () => {
  it(
    'are a block for each event, and simultaneous events come together',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const { next, pieces } = await streamOf(world, await ownerOf(world, opaqueId), {})
      assert.match(await next(), /^id: [0-9a-f]{16}-1\n\n$/)
      const first = next()
      await land(world, opaqueId, bytes(5))
      const block = 'id: \\S+\\nevent: [a-z.]+\\ndata: \\{.*\\}\\n\\n'
      assert.match((await first) + (await next()), new RegExp(`^(?:${block}){3,4}$`))
      await pieces.return?.()
    }),
  )

  it(
    'name each change and its object in the words of the interface',
    inWorld(async (world) => {
      const accountId = await newAccount(world)
      const { next, pieces } = await streamOf(world, accountId, { tick: 1 })
      await next()
      const [drop_id, asset_id, opaque_id] = [dropId(1), assetId(1), opaqueId(1)]
      const said: readonly (readonly [change: Change, data: object])[] = [
        [
          { name: 'drop.landed', dropId: drop_id, opaqueId: opaque_id },
          { drop_id, opaque_id },
        ],
        [
          { name: 'drop.adopted', dropId: drop_id, assetId: asset_id },
          { drop_id, asset_id },
        ],
        [{ name: 'drop.discarded', dropId: drop_id }, { drop_id }],
        [
          { name: 'asset.changed', assetId: asset_id, changeSeq: 4 },
          { asset_id, seq: 4 },
        ],
        [{ name: 'link.changed', opaqueId: opaque_id }, { opaque_id }],
        [{ name: 'quota.changed' }, {}],
      ]
      await world.store.write([], async (tx) => {
        for (const [change] of said) {
          const changeSeq = await tx.changes.nextSeq(accountId)
          await tx.changes.insertEvent({ accountId, changeSeq, at: world.clock.now(), change })
        }
      })
      const blocks = said.map(([{ name }, data]) => `\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
      assert.equal((await next()).replaceAll(/^id: \S+/gm, ''), blocks.join(''))
      await pieces.return?.()
    }),
  )

  it(
    'report a change of another process at the next look',
    inWorld(async (world) => {
      const accountId = await newAccount(world)
      const { next, pieces } = await streamOf(world, accountId, { tick: 1 })
      await next()
      const block = next()
      const change = { name: 'quota.changed' } as const
      await world.store.write([], (tx) => noteChange(tx, accountId, change, world.clock.now()))
      assert.match(await block, /\nevent: quota\.changed\ndata: \{\}\n\n$/)
      await pieces.return?.()
    }),
  )

  it(
    'are a comment after a time without events',
    inWorld(async (world) => {
      const { next, pieces } = await streamOf(world, await newAccount(world), { tick: 1, heartbeat: 3 })
      await next()
      assert.deepEqual([await next(), await next()], [':\n\n', ':\n\n'])
      await pieces.return?.()
    }),
  )

  it(
    'end with the connection, with the server and with the session',
    inWorld(async (world) => {
      for (const what of ['disconnected', 'closing'] as const) {
        const stream = await streamOf(world, await newAccount(world), {})
        await stream.next()
        const last = stream.next()
        stream[what].abort()
        // Only a client of a server that ends hears when to come again.
        if (what === 'closing') assert.match(await last, /^retry: (?:[5-9]\d\d|[12]\d{3})\n\n$/)
        assert.equal(await (what === 'closing' ? stream.next() : last), 'end')
        assert.equal(stream.until.aborted, false)
      }
      const { next, caller } = await streamOf(world, await newAccount(world), { tick: 1 })
      await next()
      await world.rules.sessions.end(caller)
      assert.equal(await next(), 'end')
    }),
  )

  it(
    'are cut off when the client does not read them, sooner while the server ends',
    inWorld(async (world) => {
      const slow = await streamOf(world, await newAccount(world), { stall: 1 })
      await slow.next()
      await once(slow.until, 'abort')
      const late = await streamOf(world, await newAccount(world), { closing: 1 })
      await late.next()
      late.closing.abort()
      await once(late.until, 'abort')
    }),
  )
})

interface Connected {
  readonly request: ClientRequest
  readonly answer: IncomingMessage
  /** Resolves when the text of the stream so far matches. */
  until(pattern: RegExp): Promise<void>
}

/** A server on loopback: an injected request would wait for the end of the stream. */
async function listeningOn(world: World, work: (web: Web, connect: Connect) => Promise<void>): Promise<void> {
  const web = overHttp(world)
  const port = await listen(web.app)
  const requests: ClientRequest[] = []
  try {
    await work(web, async (authorization) => {
      const headers = { authorization }
      const request = get({ host: '127.0.0.1', port, path: '/v1/events', headers, agent: false })
      requests.push(request)
      request.on('error', () => {})
      const [answer] = (await once(request, 'response')) as [IncomingMessage]
      let text = ''
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      const until = async (pattern: RegExp) => {
        while (!pattern.test(text)) await once(answer, 'data')
      }
      return { request, answer, until }
    })
  } finally {
    for (const request of requests) request.destroy()
    await web.app.close()
  }
}

type Connect = (authorization: string) => Promise<Connected>

describe('GET /v1/events', () => {
  it(
    'answers at once, with headers against caching and buffering',
    inWorld((world) =>
      listeningOn(world, async (web, connect) => {
        const opaqueId = await newLink(world)
        const { authorization } = await web.signIn(await ownerOf(world, opaqueId))
        const { answer, until } = await connect(authorization)
        const { statusCode, headers } = answer
        assert.deepEqual(
          [statusCode, headers['content-type'], headers['cache-control'], headers['x-accel-buffering']],
          [200, 'text/event-stream', 'no-store', 'no'],
        )
        await land(world, opaqueId, bytes(5))
        await until(new RegExp(`event: drop.landed\\ndata: .*${opaqueId}`))
        assert.ok(!web.logged.join('').includes(opaqueId))
      }),
    ),
  )

  it(
    'does not delay the end of the server, and ends completely with it',
    inWorld((world) =>
      listeningOn(world, async (web, connect) => {
        const { authorization } = await web.signIn()
        const streams = [await connect(authorization), await connect(authorization)]
        for (const { until } of streams) await until(/^id: /)
        const ends = streams.map(({ answer }) => once(answer, 'end'))
        await web.app.close()
        await Promise.all(ends)
      }),
    ),
  )

  it(
    'refuses more streams than the limit, until another one is cut off',
    inWorld((world) =>
      listeningOn(world, async (web, connect) => {
        const { authorization } = await web.signIn()
        const streams = []
        for (let number = 0; number < 16; number += 1) streams.push(await connect(authorization))
        assert.equal((await connect(authorization)).answer.statusCode, 403)
        for (const { request } of streams) request.destroy()
        let status: number | undefined = 403
        while (status === 403) status = (await connect(authorization)).answer.statusCode
        assert.equal(status, 200)
        assert.deepEqual(
          web.logged.filter((line) => line.includes('failed')),
          [],
          'a client that disconnects is not a failure',
        )
      }),
    ),
  )

  it(
    'has no line in the log when its client leaves, which got no end: without chunks nothing of an end is sent',
    inWorld((world) =>
      listeningOn(world, async ({ app, logged, signIn }) => {
        const { authorization } = await signIn()
        const [socket, closed] = [connect((app.server.address() as AddressInfo).port), Promise.withResolvers<void>()]
        app.server.once('request', (_request, reply) => reply.once('close', closed.resolve))
        socket.write(`GET /v1/events HTTP/1.0\r\nauthorization: ${authorization}\r\n\r\n`)
        await once(socket, 'data')
        socket.destroy()
        await closed.promise
        for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
        assert.deepEqual(
          logged.filter((line) => line.startsWith('["answered"')),
          [],
        )
      }),
    ),
  )
})
