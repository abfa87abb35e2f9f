/**
 * The server of local pages. Pages come from this package, and of the server only data: operations, asked for by a page
 * of this very origin that its owner has paired. Three locks on each request (the name, where it comes from, the
 * token), because one of them will be forgotten somewhere.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject, parseJson } from '@blindkeep/protocol/json'
import type { LocalPages } from './builtPages.ts'
import type { Memory, SeenByPage } from './memory.ts'
import { type AskedOperation, operationAt } from './operationAt.ts'
import type { OwnOrigin } from './ownOrigin.ts'
import type { Pairing } from './pairing.ts'
import { DATA_HEADERS, type PassOn, passOn, refuse } from './passOn.ts'

interface LocalServer {
  readonly own: Pick<OwnOrigin, 'origin' | 'host'>
  readonly pages: LocalPages
  readonly pairing: Pairing
  readonly shown: Shown
}

/** What the pages show: an account (`localAccount.ts`), or a link or share of others (`localLink.ts`). */
export interface Shown extends PassOn {
  readonly memory: Memory
  /** Undefined for anything but what a page writes. */
  seenByPage(json: unknown): SeenByPage | undefined
  /** SECRET: what a page that has paired works with. Undefined if none may from now on. */
  facts(): Promise<object | undefined>
  /** Whether an operation is one for these pages. */
  passes(asked: AskedOperation): boolean
  /** Renews the session's token if the server wants that. Undefined where the server does not answer. */
  renew?(): Promise<{ readonly status: number; readonly body: object } | undefined>
}

interface Exchange {
  readonly request: IncomingMessage
  readonly reply: ServerResponse
  readonly method: string
  readonly target: string
}

/** The header with the token of a page that has paired. A page of another origin may not send it without asking. */
const TOKEN = 'x-local-token'
const MAX_BODY_BYTES = 1024 * 1024

/** Answers one request. Never rejects. */
export async function answerLocally(
  server: LocalServer,
  request: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const exchange = { request, reply, method: request.method ?? '', target: request.url ?? '' }
  try {
    await route(server, exchange)
  } catch {
    refuse(reply, 500)
  }
}

async function route(server: LocalServer, exchange: Exchange): Promise<void> {
  const { request, reply, method, target } = exchange
  if (request.headers.host !== server.own.host) return refuse(reply, 421)
  if (method === 'GET' || method === 'HEAD') {
    const page = server.pages.at(target.split('?')[0] ?? '')
    if (page !== undefined) {
      reply.writeHead(200, { ...page.headers, 'Content-Length': page.bytes.length })
      return void reply.end(method === 'HEAD' ? undefined : page.bytes)
    }
  }
  if (!isFromOwnPage(request)) return refuse(reply, 403)
  const open = OPEN[`${method} ${target}`]
  if (open !== undefined) return await open(server, exchange)
  const token = request.headers[TOKEN]
  if (!server.pairing.accepts(typeof token === 'string' ? token : undefined)) return refuse(reply, 401)
  const local = PAIRED[`${method} ${target}`] ?? (server.shown.renew && OF_SESSION[`${method} ${target}`])
  if (local !== undefined) return await local(server, exchange)
  const asked = operationAt(method, target)
  if (asked === undefined)
    return refuse(reply, 404, 'This program knows no such operation. It may be older than the server.')
  if (!server.shown.passes(asked)) return refuse(reply, 403)
  await passOn(asked, exchange, server.shown)
}

/** Of this very origin, and read by a script: nothing that the server answers becomes a document, script or frame. */
function isFromOwnPage({ headers }: IncomingMessage): boolean {
  return headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-dest'] === 'empty'
}

type Answer = (server: LocalServer, exchange: Exchange) => void | Promise<void>

const OPEN: Readonly<Record<string, Answer>> = {
  'GET /local.json': ({ own, shown }, { reply }) => {
    sayJson(reply, 200, { format: 'blindkeep/local/1', origin: own.origin, server_url: shown.server })
  },
  // What a page asks for last: nothing comes back to this origin, which would delete what is stored there.
  'GET /local/end': (_, { reply }) => {
    reply.writeHead(204, { ...DATA_HEADERS, 'Clear-Site-Data': '"storage"' }).end()
  },
  'POST /local/code': ({ pairing }, { reply }) => {
    sayJson(reply, pairing.ask() ? 200 : 429, {})
  },
  'POST /local/pair': async ({ pairing, shown }, { request, reply }) => {
    const body = await jsonOf(request)
    const code = isObject(body) && typeof body.code === 'string' ? body.code : ''
    const answer = pairing.try(code)
    if (answer.is !== 'paired') return sayJson(reply, 403, answer)
    const facts = await shown.facts()
    if (facts === undefined) return refuse(reply, 503)
    sayJson(reply, 200, { is: 'paired', token: answer.token, ...facts })
  },
}

const PAIRED: Readonly<Record<string, Answer>> = {
  'GET /local/seen': async ({ shown }, { reply }) => sayJson(reply, 200, await shown.memory.read()),
  'PUT /local/seen': async ({ shown }, { request, reply }) => {
    const seen = shown.seenByPage(await jsonOf(request))
    if (seen === undefined) return refuse(reply, 400)
    sayJson(reply, (await shown.memory.write(seen)) ? 200 : 409, {})
  },
}

const OF_SESSION: Readonly<Record<string, Answer>> = {
  // The session is the program's: a page that leaves ends nothing, and a page that renews gets its own token again.
  'POST /v1/auth/logout': (_, { reply }) => void reply.writeHead(204, DATA_HEADERS).end(),
  'POST /v1/auth/refresh': async ({ shown }, { request, reply }) => {
    request.resume()
    const renewed = await shown.renew?.()
    if (renewed === undefined) return refuse(reply, 503)
    sayJson(
      reply,
      renewed.status,
      renewed.body,
      renewed.status === 200 ? 'application/json' : 'application/problem+json',
    )
  },
}

function sayJson(reply: ServerResponse, status: number, body: object, type = 'application/json'): void {
  const text = JSON.stringify(body)
  reply.writeHead(status, { ...DATA_HEADERS, 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) })
  reply.end(text)
}

/** Undefined for what is no JSON, or too long. */
async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request) {
    length += piece.length
    if (length > MAX_BODY_BYTES) return undefined
    pieces.push(piece)
  }
  return parseJson(Buffer.concat(pieces).toString('utf8'))
}
