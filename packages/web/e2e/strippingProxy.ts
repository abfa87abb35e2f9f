/** A proxy that serves the server below a path, and strips that path from requests. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

export interface StrippingProxy {
  /** With the path; the public URL of the server behind it. */
  readonly url: string
  /** Requested paths outside of it, which were answered 404. */
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

/** Streams both directions, so that event streams pass too. */
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
