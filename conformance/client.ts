/**
 * Sends every request of the suite, and checks every answer against /openapi.json and the rules of all operations
 * (`judge.ts`). So each test also proves those.
 */
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import { request as openSecureRequest, Agent as SecureAgent } from 'node:https'
import type { Call, Reply } from './call.ts'
import { readDocument, type ServerDocument } from './document.ts'
import { judge } from './judge.ts'

const ANSWER_TIMEOUT_MS = 30_000
const MAX_SOCKETS = 128

/** A request whose body the test writes in pieces. */
export interface Sending {
  write(bytes: Uint8Array): Promise<void>
  end(): void
  /** Closes the connection at once, also in the middle of a request. */
  cut(): void
  /** Resolves when the server has answered `100 Continue`. */
  readonly continued: Promise<void>
  /** Rejects when the connection ends without an answer. */
  readonly reply: Promise<Reply>
}

export interface Client {
  /** Without a slash at the end. */
  readonly base: string
  /** The name of the server, which proofs contain. */
  readonly serverId: string
  readonly document: ServerDocument
  send(call: Call): Promise<Reply>
  start(call: Call): Sending
  /** For an event stream: resolves with its checked head. */
  listen(call: Call): Promise<Listening>
}

export interface Listening {
  readonly head: Reply
  /** The pieces of the body as they arrive. */
  readonly pieces: AsyncIterable<Buffer>
  /** Closes the connection at once. */
  cut(): void
}

/** `document`: the one of another server of the same program, which takes longer to make than most answers. */
export async function createClient(base: string, known?: ServerDocument): Promise<Client> {
  const origin = base.replace(/\/+$/, '')
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS }
  const agent = origin.startsWith('https:') ? new SecureAgent(options) : new Agent(options)
  const unjudged = async (call: Call): Promise<Reply> => {
    const body = bodyOf(call)
    return finish(startCall({ origin, agent, call, body }), body)
  }
  const read = async (path: string) => (await unjudged({ method: 'GET', path })).body.toString()
  const document = known ?? readDocument(await read('/openapi.json'))
  const facts: { readonly server_id: string } = JSON.parse(await read('/.well-known/service/server-info'))
  const judged = async (call: Call, reply: Promise<Reply>): Promise<Reply> => {
    const answer = await reply
    judge(document, call, answer)
    return answer
  }
  return {
    base: origin,
    serverId: facts.server_id,
    document,
    send: (call) => judged(call, unjudged(call)),
    start: (call) => {
      const sending = startCall({ origin, agent, call, body: bodyOf(call) })
      const reply = judged(call, sending.reply)
      // A test that cuts the connection does not wait for an answer.
      reply.catch(() => {})
      return { ...sending, reply }
    },
    listen: async (call) => {
      const outgoing = openCall({ origin, agent, call, body: undefined })
      outgoing.end()
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      outgoing.on('error', () => {})
      const { headers, rawHeaders, statusCode: status = 0 } = incoming
      const body = isEndless(incoming) ? Buffer.alloc(0) : (await collect(incoming)).body
      const head = { status, headers, rawHeaders, body }
      judge(document, call, head)
      return { head, pieces: incoming, cut: () => void outgoing.destroy() }
    },
  }
}

/** The same client at another source address, for a server that trusts the test as its proxy. */
export function clientFrom(client: Client, address: string): Client {
  const forwarded = (call: Call): Call => ({ ...call, headers: { ...call.headers, 'x-forwarded-for': address } })
  return {
    ...client,
    send: (call) => client.send(forwarded(call)),
    start: (call) => client.start(forwarded(call)),
    listen: (call) => client.listen(forwarded(call)),
  }
}

async function finish(sending: Sending, body: Uint8Array | undefined): Promise<Reply> {
  if (body !== undefined) void sending.write(body).catch(() => {})
  sending.end()
  return sending.reply
}

interface Opening {
  readonly origin: string
  readonly agent: Agent
  readonly call: Call
  /** What `bodyOf` makes of the call, which takes most of the time of a large one. */
  readonly body: Uint8Array | undefined
}

function openCall({ origin, agent, call, body }: Opening): ClientRequest {
  // Appended as text, because `new URL` would normalise the path.
  const { hostname, port, pathname, protocol } = new URL(origin)
  const prefix = pathname === '/' ? '' : pathname
  return (protocol === 'https:' ? openSecureRequest : openRequest)({
    agent,
    hostname,
    port,
    method: call.method,
    path: prefix + call.path,
    headers: headersOf(call, body),
    timeout: ANSWER_TIMEOUT_MS,
  })
}

function startCall(opening: Opening): Sending {
  const outgoing = openCall(opening)
  const { call } = opening
  const reply = replyTo(outgoing, call)
  reply.catch(() => {})
  const continued = new Promise<void>((resolve) => outgoing.once('continue', () => resolve()))
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => outgoing.write(bytes, (fault) => (fault ? reject(fault) : resolve()))),
    end: () => void outgoing.end(),
    cut: () => void outgoing.destroy(),
    continued,
    reply,
  }
}

function replyTo(outgoing: ClientRequest, call: Call): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let answered = false
    outgoing.once('response', (incoming) => {
      answered = true
      collect(incoming).then(resolve, reject)
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)))
    outgoing.on('error', (cause) => {
      // A server may answer and close before it has read the whole body. Then the answer counts.
      if (!answered) reject(new Error(`${call.method} ${call.path}: ${cause.message}`, { cause }))
    })
    outgoing.once('close', () => {
      if (!answered) reject(new Error(`${call.method} ${call.path}: the connection ended without an answer`))
    })
  })
}

/** Of an event stream only the head. */
async function collect(incoming: IncomingMessage): Promise<Reply> {
  const pieces: Buffer[] = []
  if (isEndless(incoming)) incoming.destroy()
  else for await (const piece of incoming) pieces.push(piece)
  const body = Buffer.concat(pieces)
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, rawHeaders: incoming.rawHeaders, body }
}

const isEndless = ({ headers }: IncomingMessage) => headers['content-type']?.startsWith('text/event-stream') === true

function bodyOf(call: Call): Uint8Array | undefined {
  if (call.body !== undefined) return typeof call.body === 'string' ? Buffer.from(call.body) : call.body
  return call.json === undefined ? undefined : Buffer.from(JSON.stringify(call.json))
}

function headersOf(call: Call, body: Uint8Array | undefined): Record<string, string | string[]> {
  const derived = {
    ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
    ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(body === undefined || call.withoutLength ? {} : { 'content-length': String(body.length) }),
    ...(body !== undefined && call.withoutLength ? { 'transfer-encoding': 'chunked' } : {}),
  }
  const merged: [string, string | readonly string[] | undefined][] = Object.entries({ ...derived, ...call.headers })
  return Object.fromEntries(
    merged.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : [...value]] as const],
    ),
  )
}
