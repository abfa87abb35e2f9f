/** A line between clients and a server, cut and mended at the same address. Notes acknowledged chunks. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'

/** An answer that was sent just before a cut may not have arrived. */
const DOUBT_MS = 2_000

export interface Line {
  readonly url: string
  /** Chunks that were sent again after their acknowledgement had arrived. */
  sentTwice(): readonly string[]
  /** Acknowledged chunks. */
  acknowledged(): number
  /** Destroys all connections, and refuses new ones. */
  cut(): Promise<void>
  mend(): Promise<void>
}

export async function startLine(target: () => string): Promise<Line> {
  const acknowledgedAt = new Map<string, number>()
  const twice: string[] = []
  let cutAt = Number.POSITIVE_INFINITY
  let port = 0
  let server: Server | undefined

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method, url = '', headers } = incoming
    const chunk = method === 'PATCH' ? `${url} ${headers['x-service-offset']}` : undefined
    if (chunk !== undefined && isKnown(chunk)) twice.push(chunk)
    const forwarded = request(new URL(url, target()), { method, headers })
    const answered = once(forwarded, 'response')
    answered.catch(() => undefined)
    await pipeline(incoming, forwarded)
    const [answer]: IncomingMessage[] = await answered
    if (answer === undefined) throw new Error('no answer')
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    await pipeline(answer, outgoing)
    if (chunk !== undefined && answer.statusCode === 204) acknowledgedAt.set(chunk, performance.now())
  }

  /** Whether its acknowledgement is certain to have arrived. */
  function isKnown(chunk: string): boolean {
    const at = acknowledgedAt.get(chunk)
    return at !== undefined && !(at <= cutAt && cutAt - at < DOUBT_MS)
  }

  async function mend(): Promise<void> {
    server = createServer((incoming, outgoing) => {
      pass(incoming, outgoing).catch(() => outgoing.destroy())
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address !== null && typeof address !== 'string') port = address.port
  }

  await mend()
  return {
    url: `http://127.0.0.1:${port}`,
    sentTwice: () => twice,
    acknowledged: () => acknowledgedAt.size,
    mend,
    async cut() {
      cutAt = performance.now()
      const ended = server && once(server, 'close')
      server?.close()
      server?.closeAllConnections()
      await ended
    },
  }
}
