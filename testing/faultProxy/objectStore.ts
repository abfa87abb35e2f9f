/**
 * A proxy on loopback in front of an S3 store that fails as networks and stores do. A rule says which requests it
 * spoils, how, and how many of them. It passes on the `Host` header, which is part of what a client signs. Requests
 * without a rule pass as they come.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'

/** What becomes of a request. */
export type ObjectFault =
  /** Cut before it reaches the store. */
  | 'lose the request'
  /** The store does it, and the connection is cut before the answer. */
  | 'lose the answer'
  /** The connection is cut, and the store does it later. */
  | { readonly applyAfterMs: number }
  /** The store gets it late, and so its answer is. */
  | { readonly slowMs: number }
  /** The store gets it twice, and the second answer counts. */
  | 'send twice'
  /** No answer, until the client gives up. */
  | 'hang'
  | 'slow down'
  /** Status 200 with an error in the body, as for a copy or a multipart upload's end. Nothing is done. */
  | 'error in 200'
  /** The connection is cut in the middle of the answer's body. */
  | 'cut the body'
  /** One bit of the answer's body is flipped. */
  | 'wrong body'
  /** The answer from before the object. With `GET` alone: yes to HEAD, no to GET. */
  | 'stale'
  /** 403 for a clock that is wrong. */
  | 'skewed clock'
  | 'full'

export interface ObjectRule {
  readonly method?: 'GET' | 'PUT' | 'HEAD' | 'POST' | 'DELETE'
  /** Matched against path and query, with the bucket. */
  readonly path?: RegExp
  readonly fault: ObjectFault
  /** How many requests it spoils; all without it. */
  readonly times?: number
}

export interface ObjectStoreProxy {
  /** The endpoint for clients. */
  readonly endpoint: string
  /** Replaces all earlier rules. The first that matches counts. */
  spoil(...rules: readonly ObjectRule[]): void
  /** How many requests were spoiled since the start. */
  spoiled(): number
  /** Refuses new connections, as a store that does not run, until `heal`. */
  refuse(): void
  /** Forgets all rules. Requests that are to be applied later still are. */
  heal(): Promise<void>
  /** Waits until every request that was to be applied later has been. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Bodies that are kept for a second or later request. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024

export async function startObjectStoreProxy(storeEndpoint: string): Promise<ObjectStoreProxy> {
  const store = new URL(storeEndpoint)
  let left: { readonly rule: ObjectRule; times: number }[] = []
  let spoiled = 0
  const late = new Set<Promise<unknown>>()
  let server = listener()
  await listen(0)
  const { port } = server.address() as { readonly port: number }

  function take({ method, url = '' }: IncomingMessage): ObjectFault | undefined {
    const isMeant = ({ rule, times }: { readonly rule: ObjectRule; readonly times: number }) =>
      times > 0 && (rule.method ?? method) === method && (rule.path ?? /^/).test(decodeURIComponent(url))
    const found = left.find(isMeant)
    if (found === undefined) return undefined
    found.times--
    spoiled++
    return found.rule.fault
  }
  function listener() {
    return createServer((incoming, outgoing) => {
      const exchange = { incoming, outgoing, store, later: (work: Promise<unknown>) => remember(late, work) }
      const fault = take(incoming)
      const passing = fault === undefined ? pass(exchange) : spoil(exchange, fault)
      passing.catch(() => outgoing.destroy())
    })
  }
  async function listen(at: number): Promise<void> {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spoil(...rules) {
      left = rules.map((rule) => ({ rule, times: rule.times ?? Number.POSITIVE_INFINITY }))
    },
    spoiled: () => spoiled,
    refuse() {
      server.close()
      server.closeAllConnections()
    },
    async heal() {
      left = []
      if (server.listening) return
      server = listener()
      await listen(port)
    },
    async settled() {
      await Promise.all(late)
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await Promise.all(late)
    },
  }
}

/** A late request that fails has failed after its client gave up. */
function remember(late: Set<Promise<unknown>>, work: Promise<unknown>): void {
  const settling = work.catch(() => undefined).finally(() => late.delete(settling))
  late.add(settling)
}

interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly store: URL
  later(work: Promise<unknown>): void
}

/** Without the headers of one connection. */
function endToEnd({ connection: _, 'keep-alive': __, ...headers }: IncomingMessage['headers']): OutgoingHttpHeaders {
  return headers
}

function open({ incoming, store }: Exchange) {
  const { method, url, headers } = incoming
  const path = { host: store.hostname, port: store.port, path: url }
  // Each has a connection of its own, so that a fault touches one request.
  return request({ ...path, method, agent: false, headers: endToEnd(headers) })
}

async function pass(exchange: Exchange): Promise<void> {
  const { incoming, outgoing } = exchange
  const forwarded = open(exchange)
  outgoing.once('close', () => forwarded.destroy())
  const answering = once(forwarded, 'response')
  // A store may answer before it has read the whole body.
  pipeline(incoming, forwarded).catch(() => undefined)
  const [answer]: IncomingMessage[] = await answering
  if (answer === undefined) throw new Error('no answer')
  outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers))
  outgoing.flushHeaders()
  await pipeline(answer, outgoing)
}

interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

async function bodyOf({ incoming }: Exchange): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_KEPT_BYTES) throw new Error('too large to keep')
  return buffer(incoming)
}

async function ask(exchange: Exchange, body: Buffer): Promise<Answer> {
  const forwarded = open(exchange)
  const answering = once(forwarded, 'response')
  forwarded.end(body)
  const [answer]: IncomingMessage[] = await answering
  if (answer === undefined) throw new Error('no answer')
  return { status: answer.statusCode ?? 502, headers: endToEnd(answer.headers), body: await buffer(answer) }
}

async function spoil(exchange: Exchange, fault: ObjectFault): Promise<void> {
  const { outgoing, later } = exchange
  if (fault === 'lose the request') return void outgoing.destroy()
  const body = await bodyOf(exchange)
  if (typeof fault === 'object' && 'slowMs' in fault) {
    await wait(fault.slowMs)
    return send(outgoing, await ask(exchange, body))
  }
  if (typeof fault === 'object') {
    outgoing.destroy()
    return later(wait(fault.applyAfterMs).then(() => ask(exchange, body)))
  }
  const made = ANSWERS[fault]
  if (made !== undefined) return send(outgoing, made)
  if (fault === 'hang') return
  if (fault === 'send twice') await ask(exchange, body)
  const answer = await ask(exchange, body)
  if (fault === 'lose the answer') return void outgoing.destroy()
  if (fault === 'cut the body') {
    outgoing.writeHead(answer.status, answer.headers)
    outgoing.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => outgoing.destroy())
    return
  }
  send(outgoing, fault === 'wrong body' ? { ...answer, body: flipped(answer.body) } : answer)
}

function flipped(body: Buffer): Buffer {
  const at = Math.floor(body.length / 2)
  return Buffer.concat([body.subarray(0, at), Buffer.of((body[at] ?? 0) ^ 1), body.subarray(at + 1)])
}

function send(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, headers)
  outgoing.end(outgoing.req.method === 'HEAD' ? undefined : body)
}

/** The answers of the proxy itself. */
const ANSWERS: Partial<Record<ObjectFault & string, Answer>> = {
  'slow down': errorOf(503, 'SlowDown'),
  'error in 200': errorOf(200, 'InternalError'),
  stale: errorOf(404, 'NoSuchKey'),
  'skewed clock': errorOf(403, 'RequestTimeTooSkewed'),
  full: errorOf(507, 'XMinioStorageFull'),
}

function errorOf(status: number, code: string): Answer {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`
  const body = Buffer.from(text)
  return { status, headers: { 'content-type': 'application/xml', 'content-length': body.length }, body }
}
