/** A bad line: a TCP proxy in front of a server, which can be slow, be cut, and be down. It understands nothing of what passes. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'

export interface Speed {
  /** From the client to the server; unbounded when left out. Of all connections together. */
  readonly upBytesPerSecond?: number
  readonly downBytesPerSecond?: number
  /** Added to everything on its way, in each direction. */
  readonly latencyMs?: number
}

export interface Line {
  readonly url: string
  /** Connections that were ever made. */
  readonly connections: () => number
  /** What has passed so far. */
  readonly passed: () => { readonly upBytes: number; readonly downBytes: number }
  /** From now on; `{}` is as fast as it goes. */
  slow(speed: Speed): void
  /** Cuts every connection that there is. New ones are welcome. */
  cut(): void
  /** Cuts all connections whenever this many more bytes have gone up, as often as `times` says. */
  cutAfter(upBytes: number, times?: number): void
  /** Cuts what there is, and refuses all that comes, until the returned function is called. */
  down(): () => void
  /** As good as it ever was: up, fast and uncut. */
  mend(): void
  /** Where it leads from now on. */
  leadTo(serverUrl: string): void
  close(): Promise<void>
}

/** Listens at once, so that a server can be started with the line's address as its public one. */
export async function startLine(serverUrl = 'http://127.0.0.1:9'): Promise<Line> {
  let target = new URL(serverUrl)
  let isDown = false
  let connections = 0
  const sockets = new Set<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  const traffic = createTraffic(cut)
  const server = createServer((client) => {
    if (isDown) return void client.resetAndDestroy()
    connections++
    const upstream = connect(Number(target.port), target.hostname)
    tie({ client, upstream, sockets })
    client.pipe(traffic.travel('up')).pipe(upstream)
    upstream.pipe(traffic.travel('down')).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the line has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    connections: () => connections,
    passed: traffic.passed,
    slow: traffic.slow,
    cut,
    cutAfter: traffic.cutAfter,
    down: () => {
      isDown = true
      cut()
      return () => {
        isDown = false
      }
    },
    mend: () => {
      isDown = false
      traffic.mend()
    },
    leadTo: (url) => {
      target = new URL(url)
    },
    close: async () => {
      isDown = true
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Both ends go together, unless one has said all that it had to say. */
function tie({
  client,
  upstream,
  sockets,
}: {
  readonly client: Socket
  readonly upstream: Socket
  readonly sockets: Set<Socket>
}): void {
  for (const [socket, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => other.destroy())
    socket.once('close', () => {
      sockets.delete(socket)
      if (!socket.readableEnded) other.destroy()
    })
  }
}

type Way = 'up' | 'down'

/** What the line does to the bytes of all its connections together. */
function createTraffic(cut: () => void) {
  let speed: Speed = {}
  let cuts = { everyBytes: 0, left: 0, sinceBytes: 0 }
  const passed = { up: 0, down: 0 }
  const turns = { up: createTurns(), down: createTurns() }

  /** Whether the piece may still go. */
  const count = (way: Way, bytes: number): boolean => {
    passed[way] += bytes
    if (way === 'down' || cuts.left === 0) return true
    cuts.sinceBytes += bytes
    if (cuts.sinceBytes < cuts.everyBytes) return true
    cuts = { ...cuts, left: cuts.left - 1, sinceBytes: 0 }
    cut()
    return false
  }

  const travel = (way: Way): Transform => {
    /** What is on its way still, in order. */
    let under = Promise.resolve()
    const stream = new Transform({
      highWaterMark: PIECE_BYTES,
      async transform(whole: Buffer, _encoding, done) {
        for (let start = 0; start < whole.length; start += PIECE_BYTES) {
          const piece = whole.subarray(start, start + PIECE_BYTES)
          const limit = way === 'up' ? speed.upBytesPerSecond : speed.downBytesPerSecond
          await turns[way](limit === undefined ? 0 : (piece.length / limit) * 1000)
          const latency = speed.latencyMs === undefined ? undefined : wait(speed.latencyMs)
          under = Promise.all([under, latency]).then(() => {
            if (count(way, piece.length) && !stream.destroyed) stream.push(piece)
          })
          if (latency === undefined) await under
        }
        done()
      },
      flush: (done) => void under.then(() => done(), done),
    })
    return stream
  }

  return {
    travel,
    passed: () => ({ upBytes: passed.up, downBytes: passed.down }),
    slow: (wanted: Speed) => {
      speed = wanted
    },
    cutAfter: (everyBytes: number, times = 1) => {
      cuts = { everyBytes, left: times, sinceBytes: 0 }
    },
    mend: () => {
      speed = {}
      cuts = { everyBytes: 0, left: 0, sinceBytes: 0 }
    },
  }
}

const PIECE_BYTES = 16 * 1024

/** Everybody waits for their own time on the line, one after the other. */
function createTurns(): (ms: number) => Promise<void> {
  let free = 0
  return async (ms) => {
    if (ms === 0) return
    free = Math.max(free, performance.now()) + ms
    await wait(free - performance.now())
  }
}
