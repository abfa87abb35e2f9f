/**
 * A proxy in front of a real server that alters its traffic like a malicious server, a malicious network or a bad line.
 * Exchanges without a matching tampering pass unchanged.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface Exchanged {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Of the server's answer, as soon as it is there. */
  status?: number
}

export interface Message {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Tampering {
  matches(exchange: Exchanged): boolean
  /** Changes the request to the server. */
  readonly request?: (message: Message) => Message
  /** Changes the answer to the client, and its status when `status` is given. */
  readonly answer?: (message: Message) => Message & { readonly status?: number }
  /** `request`: cuts before the request reaches the server. `answer`: after the server answered. */
  readonly lose?: 'request' | 'answer'
  /** Passes so many bytes of the answer's body on, waits for `meanwhile`, and cuts the connection. */
  readonly cut?: { readonly afterBytes: number; readonly meanwhile?: () => Promise<void> }
  /** Answers with this status, without a request to the server. */
  readonly instead?: number
  /** How many exchanges it applies to; all without it. */
  readonly times?: number
  /** An answer of 401 passes unchanged and does not count: the client's access token has ended, and it asks again. */
  readonly sparesEndedTokens?: boolean
}

export interface TamperingProxy {
  readonly url: string
  /** All requests of clients, in order. */
  readonly seen: readonly Exchanged[]
  /** Replaces all earlier tamperings. */
  tamper(...tamperings: readonly Tampering[]): void
  forwardTo(serverUrl: string): void
  close(): Promise<void>
}

/** Listens at once, so that a server can start with the proxy's address as its public URL. */
export async function startTamperingProxy(): Promise<TamperingProxy> {
  let target = new URL('http://127.0.0.1:9')
  let left: { tampering: Tampering; times: number }[] = []
  const seen: Exchanged[] = []

  const take = (exchange: Exchanged) => {
    const found = left.find(({ tampering, times }) => times > 0 && tampering.matches(exchange))
    if (found !== undefined) found.times--
    return found
  }

  const server = createServer((incoming, outgoing) => {
    const exchange: Exchanged = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers }
    seen.push(exchange)
    const taken = take(exchange)
    const onAnswer = (status: number | undefined): Tampering | undefined => {
      if (status !== undefined) exchange.status = status
      if (status !== 401 || taken?.tampering.sparesEndedTokens !== true) return taken?.tampering
      taken.times++
      return undefined
    }
    pass({ incoming, outgoing, target, tampering: taken?.tampering, onAnswer }).catch(() => outgoing.destroy())
  }).listen(0, '127.0.0.1')
  // Longer than the server's Keep-Alive, which clients see. Otherwise they would use connections that the proxy has
  // already closed.
  server.keepAliveTimeout = 600_000
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    tamper: (...tamperings) => {
      left = tamperings.map((tampering) => ({ tampering, times: tampering.times ?? Number.POSITIVE_INFINITY }))
    },
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

interface Passing {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly target: URL
  readonly tampering: Tampering | undefined
  /** Returns what is to be done with the answer. */
  readonly onAnswer: (status: number | undefined) => Tampering | undefined
}

async function pass({ incoming, outgoing, target, tampering: taken, onAnswer }: Passing): Promise<void> {
  const body = await buffer(incoming)
  if (taken?.lose === 'request') return void outgoing.destroy()
  if (taken?.instead !== undefined) return void outgoing.writeHead(taken.instead).end()
  const asked = { headers: incoming.headers, body }
  const sent = taken?.request?.(asked) ?? asked
  // The body is whole now: a length and `chunked` together are refused (RFC 9112, section 6.1).
  const { 'transfer-encoding': _, ...headers } = sent.headers
  const forwarded = request(target, {
    method: incoming.method,
    path: incoming.url,
    headers: { ...headers, ...(hasBody(incoming) ? { 'content-length': String(sent.body.length) } : {}) },
  })
  forwarded.end(sent.body)
  const [answer]: IncomingMessage[] = await once(forwarded, 'response')
  if (answer === undefined) throw new Error('no answer')
  const tampering = onAnswer(answer.statusCode)
  if (tampering?.cut !== undefined) return await passCut(answer, outgoing, tampering.cut)
  if (tampering?.answer === undefined && tampering?.lose === undefined) {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.on('error', () => outgoing.destroy()).pipe(outgoing)
    return
  }
  const given = { headers: answer.headers, body: await buffer(answer) }
  if (tampering.lose === 'answer') return void outgoing.destroy()
  const changed: Message & { readonly status?: number } = tampering.answer?.(given) ?? given
  const length = incoming.method === 'HEAD' ? {} : { 'content-length': String(changed.body.length) }
  outgoing.writeHead(changed.status ?? answer.statusCode ?? 502, { ...changed.headers, ...length })
  outgoing.end(incoming.method === 'HEAD' ? undefined : changed.body)
}

async function passCut(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  { afterBytes, meanwhile }: NonNullable<Tampering['cut']>,
): Promise<void> {
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
  let left = afterBytes
  for await (const piece of answer) {
    const passed = piece.subarray(0, left)
    await new Promise((resolve) => outgoing.write(passed, resolve))
    left -= passed.length
    if (left === 0) break
  }
  await meanwhile?.()
  // Ends the connection, not the answer: what was written still arrives.
  outgoing.socket?.end()
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
