/** A small HTTP client for a server that dies and restarts: a request without an answer is a value, not an error. */
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

export function createApi({ url, uptimeMs }: Pick<RunningServer, 'url' | 'uptimeMs'>): Api {
  const closing = new AbortController()

  async function answerTo(asked: Asked): Promise<Reply | { readonly failure: unknown }> {
    closing.signal.throwIfAborted()
    const timeout = AbortSignal.timeout(MAX_ANSWER_MS)
    const cut = asked.cutAfterMs === undefined ? timeout : AbortSignal.timeout(asked.cutAfterMs)
    let answer: { readonly response: Response; readonly body: ArrayBuffer }
    try {
      const response = await fetch(url + asked.path, {
        method: asked.method,
        headers: headersOf(asked),
        body: bodyOf(asked),
        signal: AbortSignal.any([timeout, cut, closing.signal]),
      })
      answer = { response, body: await response.arrayBuffer() }
    } catch (failure) {
      if (timeout.aborted) throw unanswered(asked, failure)
      return { failure }
    }
    return replyOf(answer.response, Buffer.from(answer.body))
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
    close: () => closing.abort(new Error('the run is over')),
    isClosed: () => closing.signal.aborted,
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

function bodyOf({ json, bytes }: Asked): string | Uint8Array<ArrayBuffer> | null {
  if (bytes !== undefined) return bytes
  return json === undefined ? null : JSON.stringify(json)
}

function replyOf(response: Response, body: Buffer): Reply {
  const header = (name: string) => response.headers.get(name) ?? undefined
  // An answer to HEAD has the header and no body.
  const isProblem = header('content-type') === 'application/problem+json' && body.length > 0
  const problem: { readonly code?: string } = isProblem ? JSON.parse(body.toString()) : {}
  return {
    status: response.status,
    body,
    header,
    offset: Number(header(HEADERS.offset) ?? Number.NaN),
    code: problem.code,
  }
}
