/** Changes and live events of a real server, also over broken connections. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, newOwner, sendFile } from '../../../../testing/people.ts'
import { assertPrompt } from '../../../../testing/prompt.ts'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { ProblemError } from '../http/errors.ts'
import type { Change, ChangePage, LiveEvent, Owner } from '../owner.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { sharedServer } from '../testing/sharedServer.ts'

const { proxy } = await sharedServer()

async function pagesOf(owner: Owner, cursor?: string): Promise<readonly ChangePage[]> {
  const pages = []
  for await (const page of owner.changes({ cursor })) pages.push(page)
  return pages
}

async function keep({ owner, album, device }: Keeper): Promise<string> {
  const source = sourceOfBytes(randomBytes(20))
  return (await owner.upload({ source, album, device })).assetId
}

describe('the changes of an account', () => {
  it('are read to the end, each asset once, and continue after the cursor', async () => {
    const keeper = await newKeeper(proxy.url)
    const [first, second] = [await keep(keeper), await keep(keeper)]
    const [page, ...others] = await pagesOf(keeper.owner)
    assert.ok(page)
    assert.deepEqual(others, [])
    const completeness = (changes: readonly Change[]) => changes.map(({ assetId, asset }) => [assetId, asset?.complete])
    assert.deepEqual(completeness(page.changes), [
      [first, true],
      [second, true],
    ])
    assert.deepEqual(page.changes[0]?.asset, await keeper.owner.asset(first))
    await keeper.owner.deleteAsset(first)
    const [next] = await pagesOf(keeper.owner, page.cursor)
    assert.deepEqual(completeness(next?.changes ?? []), [[first, undefined]])
    const [nothing] = await pagesOf(keeper.owner, next?.cursor)
    assert.deepEqual([nothing?.changes, nothing?.cursor, nothing?.hasStartedOver], [[], next?.cursor, false])
  })

  it('start from the beginning, with a flag, when the server does not know the cursor', async () => {
    const keeper = await newKeeper(proxy.url)
    const assetId = await keep(keeper)
    for (const cursor of ['nonsense', '0123456789abcdef-1']) {
      const pages = await pagesOf(keeper.owner, cursor)
      assert.deepEqual(
        pages.map(({ changes, hasStartedOver }) => [changes.map((change) => change.assetId), hasStartedOver]),
        [[[assetId], true]],
      )
    }
  })

  it('are refused when the whole list ends before a change that the client has seen', async () => {
    const keeper = await newKeeper(proxy.url)
    for (let count = 0; count < 2; count++) await keep(keeper)
    const [page] = await pagesOf(keeper.owner)
    const seen = page?.changes.at(-1)?.seq ?? 0
    const read = async (options: { readonly seen: number; readonly cursor?: string }) => {
      for await (const _ of keeper.owner.changes(options));
    }
    await read({ seen })
    await read({ seen, cursor: page?.cursor ?? '' })
    const withhold = changeBody((body) => {
      assert.ok(Array.isArray(body.entries))
      body.entries.pop()
    })
    const isSync = isRequest('GET', /^\/v1\/sync/)
    proxy.tamper({ matches: isSync, answer: withhold })
    const stated = page?.changes.at(-2)?.seq
    await assert.rejects(read({ seen }), { name: 'FeedRolledBack', seen, stated })
    proxy.tamper({ matches: (exchange) => isSync(exchange) && exchange.path.includes('cursor'), instead: 404 })
    await assert.rejects(read({ seen: seen + 1, cursor: 'unknown' }), ProblemError)
    proxy.tamper()
    await assert.rejects(read({ seen: seen + 1, cursor: 'unknown' }), { name: 'FeedRolledBack' })
  })
})

/** Interrupts each event stream after some bytes, and does not wait. */
function badConnection(): { readonly environment: Environment; readonly connections: () => number } {
  let connections = 0
  const fetchAndCut: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    if (!String(input).endsWith('/v1/events')) return answer
    connections += 1
    let left = 60 + ((connections * 97) % 300)
    const cutting = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        controller.enqueue(piece.subarray(0, left))
        left -= piece.length
        if (left < 0) controller.error(new TypeError('the connection broke'))
      },
    })
    return new Response(answer.body?.pipeThrough(cutting), { status: answer.status, headers: answer.headers })
  }
  const wait = async (_ms: number, signal?: AbortSignal) => signal?.throwIfAborted()
  return { environment: { ...systemEnvironment, fetch: fetchAndCut, wait }, connections: () => connections }
}

/** Resolves with the first `count` events of links; `ready` is called once the connection is established. */
async function hearLinks(
  owner: Owner,
  count: number,
  ready: () => void,
  onDisconnected?: () => void,
): Promise<readonly LiveEvent[]> {
  const heard: LiveEvent[] = []
  for await (const event of owner.events({ onConnected: ready, onDisconnected })) {
    if (event.name === 'link.changed') heard.push(event)
    if (heard.length === count) break
  }
  return heard
}

const connected = async (start: (ready: () => void) => Promise<readonly LiveEvent[]>) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const heard = start(resolve)
  await Promise.race([promise, heard])
  return { heard }
}

describe('live events', () => {
  it('arrive within a second, with the ids of what happened', async () => {
    const owner = await newOwner(proxy.url)
    const { url, opaqueId } = await owner.createLink()
    const listening = owner.events()
    await assertPrompt(1000, async () => {
      const next = listening.next()
      const { landed } = await sendFile(url, randomBytes(10))
      assert.ok(landed)
      const landedAt = performance.now()
      let event = (await next).value
      while (event?.name !== 'drop.landed') event = (await listening.next()).value
      const tookMs = performance.now() - landedAt
      const item = (await owner.inbox()).find(({ ciphertextHash }) => ciphertextHash === landed.ciphertextHash)
      assert.deepEqual(event.data, { drop_id: item?.dropId, opaque_id: opaqueId })
      return tookMs
    })
    await listening.return()
  })

  it('arrive once, in order and without a gap, over a connection that keeps breaking', async () => {
    const owner = await newOwner(proxy.url)
    const line = badConnection()
    const broken = anotherClient(proxy.url, owner, line.environment)
    const steady = await connected((ready) => hearLinks(owner, 20, ready))
    let breaks = 0
    const shaky = await connected((ready) => hearLinks(broken, 20, ready, () => void breaks++))
    for (let number = 0; number < 20; number += 1) await owner.createLink()
    assert.deepEqual(await shaky.heard, await steady.heard)
    assert.ok(line.connections() > 3)
    assert.equal(breaks, line.connections() - 1)
  })

  it('resume after an event in another process, and start with reset after an unknown one', async () => {
    const owner = await newOwner(proxy.url)
    const { heard } = await connected((ready) => hearLinks(owner, 2, ready))
    const links = [await owner.createLink(), await owner.createLink()]
    const [one, two] = await heard
    for await (const event of anotherClient(proxy.url, owner).events({ lastEventId: one?.id })) {
      assert.deepEqual(event, two)
      assert.deepEqual(event.data, { opaque_id: links[1]?.opaqueId })
      break
    }
    for await (const { name } of owner.events({ lastEventId: 'nonsense' })) {
      assert.equal(name, 'reset')
      break
    }
  })

  it('end when the listener aborts or the session is over', async () => {
    const owner = await newOwner(proxy.url)
    const stop = new AbortController()
    const hear = async (of: Owner, signal?: AbortSignal) => {
      for await (const _ of of.events({ signal, onConnected: () => stop.abort(new Error('enough')) }));
    }
    await assert.rejects(hear(owner, stop.signal), /enough/)
    await owner.logOut()
    await assert.rejects(hear(owner), (error) => error instanceof ProblemError && error.status === 401)
  })
})
