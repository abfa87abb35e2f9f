/**
 * A load balancer in front of several nodes: it gives every request to another node in turn, from any client and over
 * any connection, so that nothing works because a client came back to the same node. It passes on bytes as they come. A
 * node that refuses the connection is passed over.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'

export interface RoundRobin {
  readonly url: string
  /** The nodes that get the next requests, each in turn. */
  forwardTo(urls: readonly string[]): void
  /** Sends nothing to this node, as a load balancer that finds it dead, until the result is called. */
  leaveOut(url: string): () => void
  /** Requests so far, by the URL of the node. */
  readonly served: ReadonlyMap<string, number>
  close(): Promise<void>
}

/** Listens at once, so that the nodes can start with its address as their public URL. */
export async function startRoundRobin(): Promise<RoundRobin> {
  let nodes: readonly string[] = []
  const leftOut = new Set<string>()
  let turn = 0
  const served = new Map<string, number>()
  const take = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const present = nodes.filter((url) => !leftOut.has(url))
    const order = present.map((_, at) => present[(turn + at) % present.length] ?? '')
    turn += 1
    pass(incoming, outgoing, order).then(
      (node) => served.set(node, (served.get(node) ?? 0) + 1),
      // What a client sees when its node dies.
      () => outgoing.destroy(),
    )
  }
  // A client that asks before it sends gets the word of the node, not of the proxy.
  const server = createServer(take).on('checkContinue', take).listen(0, '127.0.0.1')
  // The nodes bound how long a request may take, and how long a connection may idle.
  server.requestTimeout = 0
  server.keepAliveTimeout = 600_000
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    served,
    forwardTo(urls) {
      nodes = urls
    },
    leaveOut(url) {
      leftOut.add(url)
      return () => leftOut.delete(url)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns the node that took the request. */
async function pass(incoming: IncomingMessage, outgoing: ServerResponse, nodes: readonly string[]): Promise<string> {
  for (const node of nodes) {
    const forwarded = request(new URL(node), {
      // Each request has a connection of its own: one that was idle may be closing.
      agent: false,
      method: incoming.method,
      path: incoming.url,
      headers: endToEnd(incoming.rawHeaders),
    })
    // The waits for the connection and for the answer get the error too.
    forwarded.on('error', () => undefined)
    forwarded.once('continue', () => outgoing.writeContinue())
    forwarded.flushHeaders()
    if (!(await isConnected(forwarded))) continue
    outgoing.once('close', () => forwarded.destroy())
    // A node may answer before it has read the whole body.
    pipeline(incoming, forwarded).catch(() => undefined)
    const [answer]: IncomingMessage[] = await once(forwarded, 'response')
    if (answer === undefined) throw new Error('no answer')
    outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders))
    outgoing.flushHeaders()
    await pipeline(answer, outgoing)
    return node
  }
  outgoing.writeHead(502).end()
  throw new Error('no node takes requests')
}

/** Without the headers that describe one connection. Names and values take turns in the list. */
function endToEnd(raw: readonly string[]): string[] {
  return raw.filter((_, at) => !/^(connection|keep-alive)$/i.test(raw[at - (at % 2)] ?? ''))
}

async function isConnected(forwarded: ReturnType<typeof request>): Promise<boolean> {
  try {
    const [socket] = await once(forwarded, 'socket')
    if (socket.connecting) await once(socket, 'connect')
    return true
  } catch {
    return false
  }
}
