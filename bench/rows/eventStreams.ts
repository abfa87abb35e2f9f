/** G6: what event streams cost, and how soon an event arrives. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { RunningServer } from '../../testing/startServer.ts'
import { newLink, newOwner, type Owner } from '../owner.ts'
import { costOf } from '../processCost.ts'
import { startBlindkeep } from '../processes.ts'
import type { Lane, Row } from '../row.ts'
import { dropsThrough, prepareFile, sendAll } from '../uploads.ts'

const STREAMS_OF_ACCOUNT = 16
const MAX_WAIT_MS = 30_000

export const growthOfStreams: Row = {
  name: 'growth-streams',
  ids: ['G6'],
  what: 'with 1 to 1,000 event streams: the main thread’s time in a second without an event; from a drop’s acknowledgement to its event',
  isLarge: true,
  async open(options) {
    const server = await startBlindkeep(options)
    const steps = options.isQuick ? [1, 20] : [1, 10, 100, 1000]
    const accounts = Math.ceil(Math.max(...steps) / STREAMS_OF_ACCOUNT)
    const owners: Owner[] = []
    while (owners.length < accounts) owners.push(await newOwner(server))
    const idleMs = options.isQuick ? 200 : 5_000
    const drops = options.isQuick ? 2 : 30
    const lanes = steps.map((streams) => ({
      idle: streamsLane(server, { name: `${streams} streams, idle`, streams, owners }, () => idleCost(server, idleMs)),
      event: streamsLane(server, { name: `${streams} streams, an event`, streams, owners }, (first) =>
        delayOf(server, first, drops),
      ),
    }))
    const [first, ...more] = lanes
    if (first === undefined) throw new RangeError('no steps')
    return {
      unit: 'ms',
      lanes: lanes.flatMap(({ idle, event }) => [idle, event]),
      comparisons: more.flatMap(({ idle, event }) => [
        { id: 'G6', lane: idle, beside: first.idle },
        { id: 'G6', lane: event, beside: first.event },
      ]),
    }
  },
}

interface First {
  readonly owner: Owner
  readonly stream: IncomingMessage
}

interface Streams {
  readonly name: string
  readonly streams: number
  readonly owners: readonly Owner[]
}

/** Measures while this many streams are open; `work` gets the first. */
function streamsLane(
  server: RunningServer,
  { name, streams, owners }: Streams,
  work: (first: First) => Promise<number>,
): Lane {
  return {
    name,
    async measure() {
      const open = await Promise.all(
        Array.from({ length: streams }, async (_, index) => {
          const owner = owners[index % owners.length]
          if (owner === undefined) throw new RangeError('no owners')
          return { owner, stream: await openStream(server, owner) }
        }),
      )
      try {
        const [first] = open
        if (first === undefined) throw new RangeError('no streams')
        return { value: await work(first) }
      } finally {
        for (const { stream } of open) stream.destroy()
      }
    },
  }
}

/** Resolves with the first block, which tells the present position. */
async function openStream({ port }: RunningServer, { token }: Owner): Promise<IncomingMessage> {
  const request = get({ port, host: '127.0.0.1', path: '/v1/events', headers: { authorization: `Bearer ${token}` } })
  const [stream]: IncomingMessage[] = await once(request, 'response')
  if (stream?.statusCode !== 200) throw new Error(`a stream was answered ${stream?.statusCode}`)
  stream.on('error', () => undefined)
  await once(stream, 'data')
  return stream.resume()
}

async function idleCost(server: RunningServer, milliseconds: number): Promise<number> {
  const before = costOf(server.pid()).mainMs
  await wait(milliseconds)
  return ((costOf(server.pid()).mainMs - before) * 1000) / milliseconds
}

/** The mean delay of the events of drops that land one after the other. */
async function delayOf(server: RunningServer, { owner, stream }: First, drops: number): Promise<number> {
  const protocols = [dropsThrough(await newLink(server, owner))]
  let total = 0
  for (let count = 0; count < drops; count++) {
    const seen = untilLanded(stream)
    await sendAll([prepareFile(randomBytes(64), 64)], { port: server.port, clients: 1, protocols })
    const acknowledgedAt = performance.now()
    total += Math.max(0, (await seen) - acknowledgedAt)
    // The server sends the events of this time together.
    await wait(100)
  }
  return total / drops
}

/** When the event arrived. */
async function untilLanded(stream: IncomingMessage): Promise<number> {
  const signal = AbortSignal.timeout(MAX_WAIT_MS)
  for (;;) {
    const [piece] = await once(stream, 'data', { signal })
    if (String(piece).includes('event: drop.landed')) return performance.now()
  }
}
