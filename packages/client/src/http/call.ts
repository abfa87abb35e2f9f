/** Calls derived from the table of operations. A caller gets no answer that does not match its row. */

import type { Instant } from '@blindkeep/protocol/ids'
import { parseJson } from '@blindkeep/protocol/json'
import { type Operation, type OperationName, operations } from '@blindkeep/protocol/operations'
import { systemEnvironment } from '../ground/environment.ts'
import { excessIn, maxAnswerBytes, readAnswer, readText } from './answer.ts'
import { addressOf, parseBaseUrl, pathOf, type ServerAddress } from './baseUrl.ts'
import type { AnyAnswer, AnyRequest, Call, CallAnswer, CallRequest } from './callTypes.ts'
import { AnswerError, ProblemError } from './errors.ts'
import { refuseRedirect } from './ownAddress.ts'
import { readRefusal } from './refusal.ts'
import { createServerClock, type ServerClock } from './serverClock.ts'
import { type Watch, watchedStream, watchFor } from './watch.ts'

export type { Call, CallAnswer, CallOptions, CallRequest } from './callTypes.ts'

const TIMEOUT_MS = 30_000
/** The token expired, or the server's signing key changed. The session may be valid, so the call renews the token. */
const RENEWABLE = new Set<string>(['error.auth.session_expired', 'error.request.unauthenticated'])

/** The access token of a session, as a call needs it. */
export interface AccessTokens {
  access(): string
  /** Resolves once there is a newer token than `spent`; rejects when the session is over. Parallel calls share it. */
  renew(spent: string): Promise<void>
}

interface CallsOptions extends ServerAddress {
  /** For operations with a bearer token; these throw without it. */
  readonly tokens?: AccessTokens
  readonly fetch?: typeof fetch
  /** The clock of this machine. */
  readonly now?: () => Instant
}

export interface Calls {
  /** As given, for other calls of the same server. */
  readonly address: ServerAddress
  /** The server's public URL, to which everything is bound. Origin and path, without a slash at the end. */
  readonly serverUrl: string
  readonly call: Call
  readonly clock: ServerClock
}

/** Throws `RangeError` for an invalid address. */
export function createCalls(options: CallsOptions): Calls {
  const address = addressOf(options)
  const baseUrl = parseBaseUrl(address.baseUrl)
  const serverUrl = parseBaseUrl(address.serverUrl ?? baseUrl)
  const clock = createServerClock(options.now ?? systemEnvironment.now, systemEnvironment.elapsedMs)
  const exchange = createExchange({ baseUrl, serverUrl }, options.fetch ?? systemEnvironment.fetch, clock)
  const { tokens } = options

  async function call<Name extends OperationName>(name: Name, request?: CallRequest<Name>): Promise<CallAnswer<Name>>
  async function call(name: OperationName, request: AnyRequest = {}): Promise<unknown> {
    if (operations[name].auth !== 'bearer') return exchange(name, request)
    if (tokens === undefined) throw new Error(`${name} needs a signed-in session`)
    const spent = tokens.access()
    try {
      return await exchange(name, request, spent)
    } catch (error) {
      if (!(error instanceof ProblemError) || !isRenewable(error)) throw error
      await tokens.renew(spent)
      return exchange(name, request, tokens.access())
    }
  }
  return { address, serverUrl, call, clock }
}

/** A proxy may replace a 401 by its own page, and an answer to HEAD has no body: the token may have ended. */
function isRenewable({ code, status }: ProblemError): boolean {
  return RENEWABLE.has(code) || (status === 401 && code === 'unknown')
}

type Exchange = (name: OperationName, request: AnyRequest, token?: string) => Promise<AnyAnswer>

/** One request and its answer. */
function createExchange(
  { baseUrl, serverUrl }: { readonly baseUrl: string; readonly serverUrl: string },
  send: typeof fetch,
  clock: ServerClock,
): Exchange {
  const { origin } = new URL(serverUrl)
  return async (name, request, token) => {
    const row: Operation = operations[name]
    const url = `${baseUrl}${pathOf(row, request.path, request.query)}`
    const { timeoutMs = TIMEOUT_MS, signal } = request
    const watch = watchFor({ timeoutMs, signal, given: origin })
    try {
      const init = requestInit(row, { request, token, signal: watch.signal })
      // Only what `over` awaits fails for reasons of the network; every other exception is an error of this program.
      const answer = await watch.over((async () => send(url, init))())
      refuseRedirect(answer, { url, given: origin })
      clock.note(answer.headers)
      if (row.answers[answer.status] === undefined && answer.status >= 400)
        throw await watch.over(readRefusal(name, answer, origin))
      const body = await readBody(name, answer, watch)
      return { status: answer.status, headers: answer.headers, body }
    } catch (error) {
      watch.end()
      throw error
    }
  }
}

interface RequestParts {
  readonly request: AnyRequest
  readonly token: string | undefined
  readonly signal: AbortSignal
}

function requestInit(row: Operation, { request, token, signal }: RequestParts): RequestInit {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers ?? {})) if (value !== undefined) headers.set(name, value)
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
  if (row.body !== undefined) headers.set('Content-Type', row.body.type)
  return {
    method: row.method,
    headers,
    signal,
    ...(row.body === undefined ? {} : { body: encodedBody(request.body) }),
    // A browser's cache could hold an old key, or damaged bytes that the server has repaired since.
    cache: 'no-store',
    // The path of a link is a credential: neither cookies, nor a redirect, nor a Referer may carry it elsewhere.
    // `manual` follows none either, and lets `refuseRedirect` say where it pointed.
    credentials: 'omit',
    redirect: 'manual',
    referrerPolicy: 'no-referrer',
  }
}

function encodedBody(body: unknown): BodyInit {
  return isOwnBytes(body) ? body : JSON.stringify(body)
}

function isOwnBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array && body.buffer instanceof ArrayBuffer
}

async function readBody(name: OperationName, answer: Response, watch: Watch): Promise<unknown> {
  const row: Operation = operations[name]
  const declared = row.answers[answer.status]
  if (declared === undefined || answer.status === 304)
    throw new AnswerError(name, `its row declares no status ${answer.status}`)
  if (declared.body === 'bytes' || declared.body === 'events') return watchedStream(answer.body, watch)
  if (declared.body === undefined) {
    await watch.over(answer.body?.cancel() ?? Promise.resolve())
    watch.end()
    return undefined
  }
  const bytesMax = maxAnswerBytes(row)
  const text = await watch.over(readText(answer.body, bytesMax))
  watch.end()
  if (text === undefined) throw new AnswerError(name, `it is longer than ${bytesMax} bytes, or not UTF-8`)
  const excess = excessIn(text)
  if (excess !== undefined) throw new AnswerError(name, excess)
  const read = readAnswer(declared.body, parseJson(text))
  if (read.fault !== undefined) throw new AnswerError(name, read.fault)
  return read.value
}
