/** A TCP proxy in front of a server that can be slow, cut connections and be down. It does not parse the bytes. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'

export interface Speed {
  /** From the client to the server, shared by all connections. No limit when left out. */
  readonly upBytesPerSecond?: number
  readonly downBytesPerSecond?: number
  /** Added in each direction. */
  readonly latencyMs?: number
}

export interface Line {
  readonly url: string
  /** The number of connections since the start. */
  readonly connections: () => number
  /** The bytes since the start. */
  readonly passed: () => { readonly upBytes: number; readonly downBytes: number }
  /** Applies from now on. `{}` removes the limits. */
  slow(speed: Speed): void
  /** Cuts every open connection. New connections are accepted. */
  cut(): void
  /** Cuts all connections each time `upBytes` more bytes have passed to the server, at most `times` times. */
  cutAfter(upBytes: number, times?: number): void
  /** Cuts every connection and refuses new ones until the caller calls the returned function. */
  down(): () => void
  /** Removes every limit and fault. */
  mend(): void
  /** Changes the target of new connections. */
  leadTo(serverUrl: string): void
  close(): Promise<void>
}

/** Listens at once, so that a server can start with the line's address as its public address. */
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

/** Closes both ends together, unless one has ended regularly. */
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

/** Limits, counts and cuts the bytes of all connections. */
function createTraffic(cut: () => void) {
  let speed: Speed = {}
  let cuts = { everyBytes: 0, left: 0, sinceBytes: 0 }
  const passed = { up: 0, down: 0 }
  const turns = { up: createTurns(), down: createTurns() }

  /** Counts the bytes. Answers false when it has just cut the connections. */
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
    /** Resolves when every earlier piece has been delivered. */
    let delivered = Promise.resolve()
    const stream = new Transform({
      highWaterMark: PIECE_BYTES,
      async transform(whole: Buffer, _encoding, done) {
        for (let start = 0; start < whole.length; start += PIECE_BYTES) {
          const piece = whole.subarray(start, start + PIECE_BYTES)
          const limit = way === 'up' ? speed.upBytesPerSecond : speed.downBytesPerSecond
          await turns[way](limit === undefined ? 0 : (piece.length / limit) * 1000)
          const latency = speed.latencyMs === undefined ? undefined : wait(speed.latencyMs)
          delivered = Promise.all([delivered, latency]).then(() => {
            if (count(way, piece.length) && !stream.destroyed) stream.push(piece)
          })
          if (latency === undefined) await delivered
        }
        done()
      },
      flush: (done) => void delivered.then(() => done(), done),
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

/** Gives callers the line one after the other: each waits until its own time has passed. */
function createTurns(): (ms: number) => Promise<void> {
  let free = 0
  return async (ms) => {
    if (ms === 0) return
    free = Math.max(free, performance.now()) + ms
    await wait(free - performance.now())
  }
}
