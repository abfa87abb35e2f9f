/**
 * The origin of local pages: a name that nothing was ever stored for, and a port that belongs to this process at both
 * loopback addresses. A browser asks `[::1]` before `127.0.0.1`, so a port held at one of them would be half another's.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { networkInterfaces } from 'node:os'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { LocalError } from '../ground/exits.ts'

export interface OwnOrigin {
  /** `http://k<16 hex>.localhost:<port>` */
  readonly origin: string
  /** What a request of these pages has as its `Host`. */
  readonly host: string
  /** From now on requests are answered, and lines are held; earlier ones wait. */
  answer(listener: RequestListener): void
  /** Tells all pages that the program ends. Resolves when each has heard it, or after a time. */
  sayEnd(): Promise<void>
  /** Cuts all connections, now and from now on. The port stays this process's until `leave`. */
  cut(): void
  /** Gives the port up. */
  leave(): Promise<void>
}

/** A web socket on which only the end is said: a page knows by its end that this program has ended. */
const LINE = '/local/line'
/** A text frame of three letters (RFC 6455, section 5.2): what is said on a line once, before its end. */
const END = Buffer.from([0x81, 3, ...Buffer.from('end')])
const HEARD_MS = 1_000
/** RFC 6455, section 1.3 */
const WEB_SOCKET = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const IPV4 = '127.0.0.1'
const IPV6 = '::1'
const MAX_TRIES = 20
const NAME_BYTES = 8

/**
 * `firstPort`: the port that is tried first, any by default. Throws `LocalError` where no port is free at both, and
 * what `listen` throws: an address that the system has and does not give is no reason to go without it.
 */
export async function takeOwnOrigin(firstPort = 0): Promise<OwnOrigin> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const servers = await bothAt(tries === 0 ? firstPort : 0)
    if (servers !== undefined) return ownOriginOf(servers)
  }
  throw new LocalError(`No port is free at ${IPV4} and at [${IPV6}] at once. End the programs that take them.`)
}

async function bothAt(wanted: number): Promise<readonly Server[] | undefined> {
  const first = await listening(IPV4, wanted)
  if (first === undefined) return undefined
  if (!hasAddress(IPV6)) return [first]
  try {
    const second = await listening(IPV6, portOf(first))
    if (second !== undefined) return [first, second]
  } catch (error) {
    await closed(first)
    throw error
  }
  await closed(first)
  return undefined
}

/** Undefined where another program has the port. */
async function listening(host: string, port: number): Promise<Server | undefined> {
  // No upload is too slow for a person's own machine: the server bounds its progress.
  const server = createServer({ requestTimeout: 0 })
  server.listen({ host, port, exclusive: true, ipv6Only: true })
  try {
    await once(server, 'listening')
    return server
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined
    throw error
  }
}

function hasAddress(wanted: string): boolean {
  return Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === wanted))
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a server that listens has a port')
  return address.port
}

function ownOriginOf(servers: readonly Server[]): OwnOrigin {
  const [first] = servers
  if (first === undefined) throw new Error('an origin has a server')
  const host = `k${randomBytes(NAME_BYTES).toString('hex')}.localhost:${portOf(first)}`
  const origin = `http://${host}`
  const lines = new Set<Duplex>()
  const hold = (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined)
    const { headers, url } = request
    if (headers.host !== host || headers.origin !== origin || url !== LINE) return void socket.destroy()
    lines.add(socket)
    socket.once('close', () => lines.delete(socket))
    socket.once('end', () => socket.destroy()).resume()
    socket.write(switching(headers['sec-websocket-key'] ?? ''))
  }
  const sayEnd = async () => {
    const heard = [...lines].map(async (socket) => {
      // A page that has heard it closes its line: the first bytes that it ever sends.
      socket.once('data', () => socket.destroy()).write(END)
      await once(socket, 'close')
    })
    await Promise.race([Promise.allSettled(heard), wait(HEARD_MS, undefined, { ref: false })])
  }
  const cut = () => {
    for (const line of lines) line.destroy()
    for (const server of servers) {
      server.on('connection', (socket) => socket.destroy())
      server.closeAllConnections()
    }
  }
  return {
    origin,
    host,
    answer(listener) {
      for (const server of servers) server.on('request', listener).on('upgrade', hold)
    },
    sayEnd,
    cut,
    async leave() {
      cut()
      await Promise.all(servers.map(closed))
    },
  }
}

function switching(key: string): string {
  const accepted = createHash('sha1').update(`${key}${WEB_SOCKET}`).digest('base64')
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  return `${[...lines, `Sec-WebSocket-Accept: ${accepted}`].join('\r\n')}\r\n\r\n`
}

async function closed(server: Server): Promise<void> {
  const ended = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await ended
}
