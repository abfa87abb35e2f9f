/**
 * Passes one operation on to the server, and its answer back. Bodies and events are piped, so that neither side runs
 * ahead of the other. Nothing of the server becomes more to a browser than data: of its headers only named ones pass,
 * and of its types four.
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import { finished, pipeline } from 'node:stream/promises'
import { DATA_POLICY } from '@blindkeep/protocol/pages'
import type { AskedOperation } from './operationAt.ts'

export interface PassOn {
  /** Origin and path of the server, without a slash at the end. */
  readonly server: string
  /** SECRET: the access token of the profile's session, where there is one. */
  readonly accessToken?: () => string
}

/** What every answer has, whatever the server says. */
export const DATA_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': DATA_POLICY,
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const

const TYPES = ['application/json', 'application/problem+json', 'application/octet-stream', 'text/event-stream']

/** In lower case, as Node has them. Never a Location, a cookie, or what gives a document rights. */
const ANSWER_HEADERS = [
  'accept-ranges',
  'content-length',
  'content-range',
  'date',
  'etag',
  'retry-after',
  'x-request-id',
  'x-service-length',
  'x-service-offset',
  'x-service-protocol-max',
  'x-service-protocol-min',
  'x-service-state',
]

/** Resolves when the answer is sent, or the page has disconnected. */
export async function passOn(
  asked: AskedOperation,
  { request, reply }: { readonly request: IncomingMessage; readonly reply: ServerResponse },
  { server, accessToken }: PassOn,
): Promise<void> {
  const headers = requestHeaders(asked, request)
  if (asked.row.auth === 'bearer' && accessToken) headers.authorization = `Bearer ${accessToken()}`
  const url = new URL(`${server}${asked.path}`)
  const { request: send } = url.protocol === 'https:' ? https : http
  const outgoing = send(url, { method: request.method, headers })
  reply.once('close', () => outgoing.destroy())
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).on('error', reject)
    outgoing.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('the server speaks another protocol'))
    })
  })
  if (asked.row.body === undefined) outgoing.end()
  else request.pipe(outgoing)
  const answer = await answered.catch(() => undefined)
  // A browser reads the answer when it has sent all. A connection that is cut earlier would hide it from the page.
  request.unpipe(outgoing).resume()
  await finished(request).catch(() => undefined)
  if (answer === undefined) return refuse(reply, 502)
  await passBack(asked, answer, reply)
}

function requestHeaders({ row }: AskedOperation, { headers }: IncomingMessage): Record<string, string> {
  const passed: Record<string, string> = { 'accept-encoding': 'identity' }
  for (const name of row.requestHeaders ?? []) {
    const value = headers[name.toLowerCase()]
    if (typeof value === 'string') passed[name.toLowerCase()] = value
  }
  if (row.body === undefined) return passed
  passed['content-type'] = row.body.type
  if (headers['content-length'] !== undefined) passed['content-length'] = headers['content-length']
  return passed
}

async function passBack({ row }: AskedOperation, answer: IncomingMessage, reply: ServerResponse): Promise<void> {
  const status = answer.statusCode ?? 0
  const type = /^[^;]*/
    .exec(answer.headers['content-type'] ?? '')?.[0]
    .trim()
    .toLowerCase()
  const hasNoBody =
    reply.req.method === 'HEAD' || status === 204 || status === 304 || answer.headers['content-length'] === '0'
  const isTyped = type !== undefined && TYPES.includes(type)
  // To a browser others may be more than an answer: after 205 it takes a body for the answer to its next request, which
  // may ask for a script, and 407 is of a proxy.
  const isKnown = row.answers[status] !== undefined || (status >= 400 && status < 600 && status !== 407)
  const isCoded = (answer.headers['content-encoding'] ?? 'identity') !== 'identity'
  if (!isKnown || isCoded || (!isTyped && !(hasNoBody && !type))) {
    answer.destroy()
    return refuse(reply, 502)
  }
  const passed = ANSWER_HEADERS.map((name) => [name, answer.headers[name]] as const)
  reply.writeHead(status, {
    ...Object.fromEntries(passed.filter(([, value]) => typeof value === 'string')),
    ...DATA_HEADERS,
    ...(isTyped && { 'Content-Type': type }),
    // No page and no script comes over a connection on which bytes of the server were.
    Connection: 'close',
  })
  // An event may come after minutes.
  reply.flushHeaders()
  // A broken answer must not look complete: the pipeline cuts the connection then.
  await pipeline(answer, reply).catch(() => undefined)
}

export function refuse(reply: ServerResponse, status: number, text = ''): void {
  if (reply.headersSent || reply.destroyed) return void reply.destroy()
  reply.writeHead(status, { ...DATA_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' })
  reply.end(text)
}
