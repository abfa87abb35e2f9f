/** The inbox of the owner's page, without its drawing and without a browser, on a real server. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it, type TestContext } from 'node:test'
import { nodeEnvironment } from '@blindkeep/client/node'
import type { Batch, Owner } from '@blindkeep/client/owner'
import { newOwner, sendFile } from '../../../../../testing/people.ts'
import { type RunningServer, startServer } from '../../../../../testing/startServer.ts'
import { batchIdOf, entriesOf } from './batches.ts'
import { isUnread } from './dropList.ts'
import { createInboxDrops, EMPTY_INBOX, type InboxSnapshot } from './inboxDrops.ts'

let server: RunningServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

type Watched = Pick<Owner, 'pendingDrops' | 'describeDrop'>

/** An owner's page that follows the events of the server. `around` stands between it and the owner. */
async function openPage(t: TestContext, { files = 0, refusals = 0, around = (owner: Owner): Watched => owner } = {}) {
  const [asked, pauses]: [string[], number[]] = [[], []]
  let refusalsLeft = refusals
  const owner = await newOwner(server.url, {
    ...nodeEnvironment,
    fetch: async (input, init) => {
      const { pathname, searchParams } = new URL(String(input))
      if (pathname === '/v1/drops') asked.push(`${searchParams.get('order')} ${searchParams.has('after')}`)
      if (pathname.endsWith('/content')) asked.push('name')
      if (pathname.endsWith('/content') && refusalsLeft-- > 0) return new Response(null, { status: 400 })
      return nodeEnvironment.fetch(input, init)
    },
  })
  const { url } = await owner.createLink()
  const send = (name: string, batch?: Batch) => sendFile(url, randomBytes(5), { name, batch })
  for (let number = 0; number < files; number++) await send(`${number}`)

  let shown: InboxSnapshot = EMPTY_INBOX
  const waiting = new Set<() => void>()
  const inbox = createInboxDrops({
    owner: around(owner),
    environment: { wait: async (pauseMs) => void pauses.push(pauseMs) },
    onChange(snapshot) {
      shown = snapshot
      for (const look of waiting) look()
    },
  })
  const isOver = new AbortController()
  t.after(() => {
    isOver.abort()
    inbox.stop()
  })
  await new Promise<void>((resolve) => void follow(resolve))

  async function follow(onConnected: () => void): Promise<void> {
    try {
      for await (const event of owner.events({ signal: isOver.signal, onConnected })) inbox.follow(event)
    } catch (error) {
      if (!isOver.signal.aborted) throw error
    }
  }

  /** Resolves when a snapshot has this many drops, or satisfies the condition. */
  const until = (condition: (snapshot: InboxSnapshot) => boolean) =>
    new Promise<InboxSnapshot>((resolve) => {
      const look = () => {
        if (!condition(shown)) return
        waiting.delete(look)
        resolve(shown)
      }
      waiting.add(look)
      look()
    })
  const untilListed = (count: number) => until(({ drops, isListed }) => isListed && drops.length === count)
  const untilNamed = (count: number) =>
    until(({ drops }) => drops.filter(({ file }) => file !== undefined).length === count)
  return { owner, inbox, asked, pauses, send, until, untilListed, untilNamed }
}

const namesIn = ({ drops }: InboxSnapshot) => drops.map(({ file }) => file?.name)

describe('the inbox of a page', () => {
  it('lists newest first without names, and reads the names that are wanted', async (t) => {
    const { inbox, asked, untilListed, untilNamed } = await openPage(t, { files: 3 })
    inbox.reload()
    const { drops } = await untilListed(3)
    assert.deepEqual(asked, ['newest false'])
    for (const drop of drops.slice(0, 2)) inbox.readName(drop)
    assert.deepEqual(namesIn(await untilNamed(2)), ['2', '1', undefined])
  })

  it('asks for new files only when one has landed, and for nothing when one has left', async (t) => {
    const { owner, inbox, asked, send, untilListed, untilNamed } = await openPage(t, { files: 2 })
    inbox.reload()
    const [newest, oldest] = (await untilListed(2)).drops
    assert.ok(newest && oldest)
    inbox.readName(oldest)
    await untilNamed(1)
    await owner.discardDrop(newest.dropId)
    await untilListed(1)
    asked.splice(0)
    await send('landed')
    const { drops } = await untilListed(2)
    assert.deepEqual([drops[1]?.dropId, drops[1]?.file?.name, asked], [oldest.dropId, '0', ['oldest true']])
  })

  it('lists all again when events were missed, with the names that it has', async (t) => {
    const { inbox, asked, until, untilListed, untilNamed } = await openPage(t, { files: 2 })
    inbox.reload()
    for (const drop of (await untilListed(2)).drops) inbox.readName(drop)
    const last = await untilNamed(2)
    asked.splice(0)
    inbox.follow({ id: '', name: 'reset', data: {} })
    const next = await until((snapshot) => snapshot !== last)
    assert.deepEqual([namesIn(next), asked], [['1', '0'], ['newest false']])
  })

  it('does not show again what left while it was on its way', async (t) => {
    let onPage = async () => undefined as unknown
    const { owner, inbox, untilListed } = await openPage(t, {
      files: 2,
      around: ({ pendingDrops, describeDrop }) => ({
        describeDrop,
        async *pendingDrops(options) {
          for await (const page of pendingDrops(options)) {
            await onPage()
            yield page
          }
        },
      }),
    })
    const [left] = await owner.inbox()
    assert.ok(left)
    onPage = async () => {
      await owner.discardDrop(left.dropId)
      inbox.remove(left.dropId)
    }
    inbox.reload()
    const { drops } = await untilListed(1)
    assert.notEqual(drops[0]?.dropId, left.dropId)
  })

  it('lists all again when a file that has landed is not among the new ones', async (t) => {
    const { inbox, asked, send, untilListed } = await openPage(t, {
      files: 1,
      // As if the clock of another node had dated it before the files that are known.
      around: ({ pendingDrops, describeDrop }) => ({
        describeDrop,
        async *pendingDrops(options) {
          for await (const page of pendingDrops(options)) if (options?.known === undefined) yield page
        },
      }),
    })
    inbox.reload()
    await untilListed(1)
    asked.splice(0)
    await send('dated before')
    await untilListed(2)
    assert.deepEqual(asked, ['oldest true', 'newest false'])
  })

  it('shows why a list failed, keeps the files that it has, and lists all with the next event', async (t) => {
    let isDown = false
    const { inbox, asked, send, until, untilListed } = await openPage(t, {
      files: 1,
      around: ({ pendingDrops, describeDrop }) => ({
        describeDrop,
        pendingDrops(options) {
          if (isDown) throw new Error('down')
          return pendingDrops(options)
        },
      }),
    })
    inbox.reload()
    await untilListed(1)
    isDown = true
    inbox.reload()
    const failed = await until(({ error }) => error !== undefined)
    assert.deepEqual([String(failed.error), failed.drops.length], ['Error: down', 1])
    isDown = false
    asked.splice(0)
    await send('later')
    const { error } = await untilListed(2)
    assert.deepEqual([error, asked], [undefined, ['newest false']])
  })

  it('asks again for a name that was refused, and says so only after some tries', async (t) => {
    const read = async (refusals: number) => {
      const { inbox, asked, pauses, until, untilListed } = await openPage(t, { files: 1, refusals })
      inbox.reload()
      const [drop] = (await untilListed(1)).drops
      assert.ok(drop)
      inbox.readName(drop)
      const [item] = (await until(({ drops: [shown] }) => shown !== undefined && !isUnread(shown))).drops
      return [item?.file?.name, item?.fault?.reason, asked.filter((one) => one === 'name').length, pauses]
    }
    assert.deepEqual(await read(2), ['0', undefined, 3, [500, 1500]])
    assert.deepEqual(await read(4), [undefined, 'refused', 4, [500, 1500, 4000]])
  })

  it('reads the names of a whole batch when one of its files is known, and few others', async (t) => {
    const { inbox, asked, send, until, untilListed, untilNamed } = await openPage(t, { files: 14 })
    const id = '5'.repeat(32)
    for (let index = 0; index < 20; index++) await send(`of batch ${index}`, { id, index, count: 21 })
    inbox.reload()
    const { drops } = await untilListed(34)
    const [newest] = drops
    assert.ok(newest)
    inbox.readName(newest)
    const [named] = (await untilNamed(1)).drops
    const batchId = named && batchIdOf(named)
    assert.ok(batchId)
    const release = inbox.readBatch(batchId)
    const whole = await until(({ lookingIn, drops: all }) => lookingIn.size === 0 && entriesOf(all).length === 15)
    // One is still to come, so it was looked for beside the others.
    assert.ok(asked.filter((one) => one === 'name').length < 34)
    await send('of batch 20', { id, index: 20, count: 21 })
    const later = await until(
      ({ lookingIn, drops: all }) => all.length === 35 && lookingIn.size === 0 && all[0]?.file !== undefined,
    )
    const batch = entriesOf(later.drops).find((entry) => entry.is === 'batch')?.batch
    assert.deepEqual([whole.drops.length, batch?.items.length], [34, 21])
    release()
  })
})
