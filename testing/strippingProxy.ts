/** A proxy that serves a server below a path, as an operator may put it beside other things: it takes the path away before it asks the server. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

export interface StrippingProxy {
  /** With the path: a server behind it is started with this as its public URL. */
  readonly url: string
  /** Paths that were asked for outside of it, and answered with 404. */
  readonly strayed: readonly string[]
  forwardTo(serverUrl: string): void
  close(): Promise<void>
}

/** `path` begins with a slash and ends without one. */
export async function startStrippingProxy(path: string): Promise<StrippingProxy> {
  let target = new URL('http://127.0.0.1:9')
  const strayed: string[] = []
  const server = createServer((incoming, outgoing) => {
    const asked = incoming.url ?? ''
    if (asked.startsWith(`${path}/`)) return forward({ incoming, outgoing, target, path: asked.slice(path.length) })
    strayed.push(asked)
    outgoing.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}${path}`,
    strayed,
    forwardTo: (serverUrl) => {
      target = new URL(serverUrl)
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Forwarding {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly target: URL
  readonly path: string
}

/** As it comes, in both directions, so that a stream of events passes too. */
function forward({ incoming, outgoing, target, path }: Forwarding): void {
  const { method, headers } = incoming
  const forwarded = request(target, { method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.on('error', () => outgoing.destroy()).pipe(outgoing)
  })
  forwarded.on('error', () => outgoing.destroy())
  outgoing.once('close', () => forwarded.destroy())
  incoming.pipe(forwarded)
}
