/** A server that reports changes without end: pages ask at a bounded rate, and still show what comes after. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { useBrowser } from '../browser.ts'
import { startWorld, type World } from '../world.ts'

const browser = useBrowser()

/** Passes all on to a real server, but answers the event stream itself. */
async function startFlood() {
  let [target, ids] = ['http://127.0.0.1:9', 0]
  const asked: string[] = []
  const streams = new Set<ServerResponse>()
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    if (url === '/v1/events') {
      streams.add(outgoing)
      outgoing.on('close', () => streams.delete(outgoing))
      outgoing.writeHead(200, { 'Content-Type': 'text/event-stream' })
      return void outgoing.write('id: first\n\n')
    }
    if (url.startsWith('/v1/')) asked.push(`${method} ${url}`)
    const forwarded = request(new URL(url, target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(forwarded.on('error', () => outgoing.destroy()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    streams,
    leadTo(url: string) {
      target = url
    },
    async send(events: number) {
      for (const stream of streams) {
        const piece = Array.from({ length: events }, () => `id: ${++ids}\nevent: reset\ndata: {}\n\n`).join('')
        if (!stream.write(piece)) await once(stream, 'drain')
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

let flood: Awaited<ReturnType<typeof startFlood>>
let world: World

before(async () => {
  flood = await startFlood()
  world = await startWorld({ publicUrl: flood.url })
  flood.leadTo(world.server.url)
})
after(async () => {
  await world.stop()
  await flood.close()
})

describe('a server that floods the stream of events', () => {
  it('is asked a few times a second by each page, which then shows what is new', async (t) => {
    const owner = await world.owner()
    const { page } = await browser.open(t, { url: `${flood.url}/#/links`, signedInAs: owner })
    for (const [place, heading] of [
      ['links', 'Links'],
      ['inbox', 'Inbox'],
      ['albums', 'Albums'],
      ['storage', 'Storage'],
    ] as const) {
      await page.goto(`${flood.url}/#/${place}`)
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      while (flood.streams.size === 0) await wait(20)
      const startedMs = performance.now()
      flood.asked.length = 0
      for (let round = 0; round < 100; round++) {
        await flood.send(50)
        await wait(20)
      }
      const rounds = (performance.now() - startedMs) / 300
      const counts = new Map<string, number>()
      for (const one of flood.asked) counts.set(one, (counts.get(one) ?? 0) + 1)
      assert.ok(counts.size > 0, `${place}: nothing was asked`)
      // Two parts of a page at most ask for the same.
      for (const [one, count] of counts)
        assert.ok(count <= 2 * (rounds + 2), `${place}: ${one}: ${count} times in ${rounds} rests`)

      await page.goto(`${flood.url}/#/links`)
      await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor()
      await owner.createLink({ label: `after the flood of ${place}` })
      await flood.send(1)
      await page.getByText(`after the flood of ${place}`, { exact: true }).waitFor()
    }
  })
})
