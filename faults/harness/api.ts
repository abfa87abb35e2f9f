/** A small HTTP client for a server that dies and restarts: a request without an answer is a value, not an error. */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { HEADERS } from '@blindkeep/protocol/wire'
import type { RunningServer } from '../../testing/startServer.ts'
import { createUptimeDeadline, type UptimeDeadline } from './uptimeDeadline.ts'

/** A server that takes longer to answer is stuck, however busy it is. */
const MAX_ANSWER_MS = 60_000

export interface Asked {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string
  readonly json?: unknown
  readonly bytes?: Uint8Array<ArrayBuffer>
  /** Cuts the connection after this time. */
  readonly cutAfterMs?: number
}

export interface Reply {
  readonly status: number
  readonly body: Buffer
  header(name: string): string | undefined
  /** `X-Service-Offset`; NaN when it is absent. */
  readonly offset: number
  /** The problem's code; undefined for anything else. */
  readonly code: string | undefined
  /** There was trouble meanwhile: a verdict in it may say no because the server could not know (`Trouble.seen`). */
  readonly mayDoubt?: boolean
}

export interface Api {
  /** Of the server. */
  readonly url: string
  /** Undefined when the connection was refused, broke, or was cut. Throws when there is no answer after 60 s. */
  ask(asked: Asked): Promise<Reply | undefined>
  /** Repeats until there is an answer, with pauses; throws when the server was up for 60 s without answering. */
  askUntilAnswered(asked: Asked): Promise<Reply>
  /** For a wait that spans several requests. */
  deadline(ms: number): UptimeDeadline
  /** Every request under way, and every later one, throws: so no request outlives its run. */
  close(): void
  isClosed(): boolean
}

const PAUSE_MS = 20

/** With `node:http`, as `fetch` copies each body that it sends, which costs more than the rest of a run. */
export function createApi({ url, uptimeMs }: Pick<RunningServer, 'url' | 'uptimeMs'>): Api {
  const agent = new Agent({ keepAlive: true })
  let isOver = false

  async function answerTo(asked: Asked): Promise<Reply | { readonly failure: unknown }> {
    if (isOver) throw new Error('the run is over')
    const { method, path, cutAfterMs = MAX_ANSWER_MS } = asked
    const outgoing = request(url + path, { agent, method, headers: headersOf(asked) })
    const startedAt = performance.now()
    const timer = setTimeout(() => outgoing.destroy(), Math.min(cutAfterMs, MAX_ANSWER_MS))
    try {
      return await replyTo(outgoing.end(bodyOf(asked)))
    } catch (failure) {
      if (performance.now() - startedAt >= MAX_ANSWER_MS) throw unanswered(asked, failure)
      return { failure }
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    url,
    async ask(asked) {
      const answer = await answerTo(asked)
      return 'failure' in answer ? undefined : answer
    },
    async askUntilAnswered(asked) {
      const deadline = createUptimeDeadline(uptimeMs, MAX_ANSWER_MS)
      for (;;) {
        const answer = await answerTo(asked)
        if (!('failure' in answer)) return answer
        if (deadline.isOver()) throw unanswered(asked, answer.failure)
        await pause(PAUSE_MS)
      }
    },
    deadline: (ms) => createUptimeDeadline(uptimeMs, ms),
    close() {
      isOver = true
      agent.destroy()
    },
    isClosed: () => isOver,
  }
}

function unanswered({ method, path }: Asked, cause: unknown): Error {
  return new Error(`${method} ${path} has no answer after ${MAX_ANSWER_MS / 1000} s`, { cause })
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The body as JSON. The caller names the type that the interface promises. */
export function jsonOf<Value>(reply: Reply): Value {
  return JSON.parse(reply.body.toString())
}

function headersOf({ headers, token, json, bytes }: Asked): Record<string, string> {
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(bytes !== undefined && { 'content-type': 'application/octet-stream' }),
    ...headers,
  }
}

function bodyOf({ json, bytes }: Asked): string | Uint8Array | undefined {
  return bytes ?? (json === undefined ? undefined : JSON.stringify(json))
}

/** Rejects when the connection ends before the whole answer, which may come before the whole request is sent. */
function replyTo(outgoing: ClientRequest): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) => reject(new Error('the connection has ended', { cause }))
    let isAnswered = false
    outgoing
      .on('error', (cause) => isAnswered || fail(cause))
      .once('close', () => isAnswered || fail())
      .once('response', (incoming) => {
        isAnswered = true
        const pieces: Buffer[] = []
        incoming
          .on('error', fail)
          .once('close', fail)
          .on('data', (piece: Buffer) => pieces.push(piece))
          .once('end', () => resolve(replyOf(incoming, Buffer.concat(pieces))))
      })
  })
}

function replyOf({ statusCode: status = 0, headers }: IncomingMessage, body: Buffer): Reply {
  const header = (name: string) => headers[name.toLowerCase()]?.toString()
  // An answer to HEAD has the header and no body.
  const isProblem = header('content-type') === 'application/problem+json' && body.length > 0
  const problem: { readonly code?: string } = isProblem ? JSON.parse(body.toString()) : {}
  return { status, body, header, offset: Number(header(HEADERS.offset) ?? Number.NaN), code: problem.code }
}
