import type { IncomingMessage } from 'node:http'
import type { ProtocolVersion } from '@blindkeep/protocol/ids'
import { type Operation, type OperationName, operations } from '@blindkeep/protocol/operations'
import { isNegotiatedPath } from '@blindkeep/protocol/window'
import { HEADERS } from '@blindkeep/protocol/wire'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Caller, Sessions } from '../domain/account/sessions.ts'
import type { AcceptedVersions } from '../domain/discovery/protocolWindow.ts'
import { isRefusal, type Refusal } from '../domain/refusals.ts'
import { StorageUnavailable } from '../ports/blobs.ts'
import type { Log } from '../ports/log.ts'
import type { Pages } from '../ports/pages.ts'
import { HasherBusy } from '../ports/secrets.ts'
import { StoreBroken } from '../ports/store.ts'
import { type Body, BodyBroken, BodyTooLarge, bodyOf } from './body.ts'
import type { AnyAnswer, Call, Routes } from './call.ts'
import { closingOf } from './closing.ts'
import {
  authenticate,
  deprecationWarning,
  headerForms,
  hiddenNotFound,
  jsonOf,
  mediaType,
  negotiation,
  pathIds,
  queryOf,
  spokenVersion,
  suspension,
  writtenVersion,
} from './gates.ts'
import { addPageRoutes, pageMethodsAt } from './pages.ts'
import { fastifyPath, methodsOf, queryAt, rowsAt } from './paths.ts'
import { begun, writeAnswer, writeRefusal } from './reply.ts'
import { isForwarded, sourceOf } from './source.ts'

/** HTTP in front of the rules: one Fastify route for each row of the table, and the gates before it, in their order. */
export interface HttpSettings {
  readonly requestBytesMax: number
  readonly chunkBytesMax: number
  /** Addresses of proxies whose X-Forwarded-For is believed; none when empty. */
  readonly trustedProxies: readonly string[]
}

interface HttpPorts {
  readonly routes: Routes
  readonly pages: Pages
  readonly sessions: Sessions
  readonly protocolWindow: AcceptedVersions
  readonly log: Log
  readonly newRequestId: () => string
  /** The process has to end: the database's word is worth nothing any more. */
  readonly onBroken: (error: StoreBroken) => void
}

type AnyHandler = (call: Call<OperationName>) => Promise<AnyAnswer | Refusal>

export function createHttpServer(
  { routes, pages, sessions, protocolWindow, log, newRequestId, onBroken }: HttpPorts,
  settings: HttpSettings,
): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: newRequestId,
    exposeHeadRoutes: false,
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    // Honest uploads take hours: bodies are bounded by progress (body.ts), headers by Node's own 60 s.
    requestTimeout: 0,
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    // What comes on an open connection while the server ends is served and its connection closed: a 503 is no answer that the table declares.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    // A path that cannot be decoded; no hook has run then.
    frameworkErrors: (_error, request, reply) => {
      identify(request, reply)
      void refuseUndecodable(request, reply)
    },
    clientErrorHandler: (_error, socket) =>
      void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
  })

  const closing = closingOf(app)

  for (const name of Object.keys(operations) as OperationName[]) {
    const row: Operation = operations[name]
    const handler = routes[name] as AnyHandler
    // Everything happens before Fastify would read a body: our gates have an order of their own, and count bodies as they arrive.
    app.route({
      method: methodsOf(row),
      url: fastifyPath(row.path),
      onRequest: async (request, reply) => {
        await serve({ row, handler, request, reply })
        // A client that hung up in the midst of its answer has been served: Fastify would go on to the handler.
        if (!reply.sent) reply.hijack()
      },
      handler: async () => {
        throw new Error('answered before')
      },
    })
  }
  addPageRoutes(app, pages, refuse)
  // What is left when an answer was begun and its bytes could not be read: nothing of the error, which may name places on our disk.
  app.setErrorHandler(async (error, request, reply) => {
    log.error('failed', { requestId: request.id, route: request.routeOptions.url ?? 'unknown', error })
    for (const name of ['Content-Length', 'Content-Range', 'Accept-Ranges', 'ETag']) reply.removeHeader(name)
    return writeRefusal({ request, reply, refusal: { refused: 'failed' } })
  })
  app.addHook('onRequest', async (request, reply) => {
    identify(request, reply)
    // Before Fastify judges a body's type: the route comes first.
    if (request.is404) await refuse({ request, reply, refusal: unknownPath(request) })
  })
  app.addHook('onResponse', async (request, reply) => {
    // The route's pattern and never the path: an opaque id in it is a credential.
    const route = request.routeOptions.url ?? 'unknown'
    log.info('answered', {
      requestId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    })
  })
  // A body is left to the gates, or to `refuse`, whatever its type.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return app

  /** What every answer carries. */
  function identify(request: FastifyRequest, reply: FastifyReply): void {
    reply.header(HEADERS.requestId, request.id)
    reply.header('X-Content-Type-Options', 'nosniff')
    if (!isNegotiatedPath(request.url)) return
    const { min, max } = protocolWindow.current()
    reply.header(HEADERS.protocolMin, min)
    reply.header(HEADERS.protocolMax, max)
  }

  function warn(reply: FastifyReply, version: ProtocolVersion | Refusal | undefined): void {
    const warning = isRefusal(version) ? undefined : deprecationWarning(version, protocolWindow)
    if (warning !== undefined) reply.header('Warning', warning)
  }

  async function serve(exchange: {
    row: Operation
    handler: AnyHandler
    request: FastifyRequest
    reply: FastifyReply
  }): Promise<FastifyReply> {
    const { row, request, reply } = exchange
    const body = bodyOf(request.raw)
    try {
      const answer = await answerOf(exchange, body)
      if (isRefusal(answer)) return await refuse({ row, request, reply, refusal: answer, body })
      return writeAnswer({ row, request, reply, answer: await begun(answer) })
    } catch (error) {
      return refuse({ row, request, reply, refusal: unexpected(error, request, row), body })
    }
  }

  async function answerOf(
    {
      row,
      handler,
      request,
      reply,
    }: { row: Operation; handler: AnyHandler; request: FastifyRequest; reply: FastifyReply },
    body: Body,
  ): Promise<AnyAnswer | Refusal> {
    const spoken = spokenVersion(row, request.headers)
    warn(reply, spoken)
    const caller = await callerOf(row, request)
    if (isRefusal(caller)) return caller
    const early = headerForms(row, request.headers) ?? negotiation(row, spoken, protocolWindow.current())
    if (early !== undefined) return early
    const params = pathIds(row, request.params as Record<string, string>)
    if (isRefusal(params)) return params
    const query = queryOf(row.query ?? {}, queryAt(request.url))
    if (row.query !== undefined && isRefusal(query)) return query
    const json = await bodyValue(row, request, body)
    if (isRefusal(json)) return json
    const written = writtenVersion(row, json?.json)
    warn(reply, written)
    const late = negotiation(row, written, protocolWindow.current())
    if (late !== undefined) return late
    // A body may have been long on its way. Bytes are still to come: what takes them judges again when it has them.
    const present = row.writes === true && json !== undefined ? await callerOf(row, request) : caller
    if (isRefusal(present)) return present
    return handler(callOf({ row, request, reply, body, params, query, json: json?.json, caller: present }))
  }

  async function callerOf(row: Operation, request: FastifyRequest): Promise<Caller | Refusal | undefined> {
    if (row.auth !== 'bearer') return undefined
    const caller = await authenticate(sessions, request.headers.authorization)
    return isRefusal(caller) ? caller : (suspension(row, caller) ?? caller)
  }

  /** JSON, parsed; bytes are left to the route; a body where none belongs is counted and thrown away. */
  async function bodyValue(
    row: Operation,
    request: FastifyRequest,
    body: Body,
  ): Promise<{ readonly json: unknown } | Refusal | undefined> {
    if (row.body?.type === 'application/octet-stream') return undefined
    if (row.body !== undefined)
      return (
        mediaType(row.body.type, (name) => request.headers[name]?.toString()) ??
        jsonOf(row.body, body, settings.requestBytesMax)
      )
    if (!hasBody(request.raw)) return undefined
    return (await body.drain(settings.requestBytesMax)) === 'too_large' ? { refused: 'body_too_large' } : undefined
  }

  function callOf(parts: {
    row: Operation
    request: FastifyRequest
    reply: FastifyReply
    body: Body
    params: unknown
    query: unknown
    json: unknown
    caller: Caller | undefined
  }): Call<OperationName> {
    const { row, request, reply, ...rest } = parts
    const gone = new AbortController()
    const abort = () => gone.abort(new BodyBroken('the connection is gone'))
    request.raw.once('close', () => request.raw.complete || abort())
    // Node closes a request once its body is whole, whoever waits for the answer. A chunk that is whole is taken all the same.
    if (row.body?.type !== 'application/octet-stream') reply.raw.once('close', () => reply.raw.writableEnded || abort())
    return {
      ...rest,
      source: sourceOf(request.ip, settings.trustedProxies.length > 0),
      isForwarded: isForwarded(request.headers),
      header: (name: string) => request.headers[name]?.toString(),
      signal: gone.signal,
      closing,
    } as Call<OperationName>
  }

  function limitOf(row: Operation): number {
    return row.body?.type === 'application/octet-stream' ? settings.chunkBytesMax : settings.requestBytesMax
  }

  function unexpected(error: unknown, request: FastifyRequest, row: Operation): Refusal {
    if (error instanceof BodyTooLarge) return { refused: 'body_too_large' }
    if (error instanceof HasherBusy) return { refused: 'attempts_limited', retryAfterSeconds: 2 }
    if (error instanceof BodyBroken) return { refused: 'request_malformed', detail: 'the body was cut off' }
    log.error('failed', { requestId: request.id, route: row.path, error })
    if (error instanceof StoreBroken) onBroken(error)
    // Whatever keeps the list from being read, this is what the specification has its readers told (Discovery, revoked-jti).
    if (row.problems.includes('error.federation.revocations_unavailable')) return { refused: 'revocations_unavailable' }
    return error instanceof StorageUnavailable ? { refused: 'storage_unavailable' } : { refused: 'failed' }
  }

  /** An account holder is told, like of any malformed id; to everybody else there is no such path. */
  async function refuseUndecodable(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const row = rowOf(request)
    if (row?.auth !== 'bearer') return refuse({ request, reply, refusal: unknownPath(request) })
    try {
      const caller = await authenticate(sessions, request.headers.authorization)
      const malformed = { refused: 'request_malformed', detail: 'the path cannot be decoded' } as const
      const refusal = isRefusal(caller) ? caller : (suspension(row, caller) ?? malformed)
      return await refuse({ row, request, reply, refusal })
    } catch (error) {
      return refuse({ row, request, reply, refusal: unexpected(error, request, row) })
    }
  }

  function rowOf({ url, method }: FastifyRequest): Operation | undefined {
    return rowsAt(url).find((each) => methodsOf(each).some((one) => one === method))
  }

  /** A row of the right path and method that was not routed to has an id that cannot even be decoded. */
  function unknownPath(request: FastifyRequest): Refusal {
    const rows = rowsAt(request.url)
    const row = rowOf(request)
    if (row !== undefined) return row.auth === 'link' ? hiddenNotFound(row) : { refused: 'not_found' }
    const allow = rows.length > 0 ? rows.flatMap(methodsOf) : pageMethodsAt(request.url)
    return allow === undefined || allow.some((method) => method === request.method)
      ? { refused: 'not_found' }
      : { refused: 'method_not_allowed', allow }
  }

  /** Reads on, up to the limit, before it answers, so that a client that is still sending sees why. */
  async function refuse({
    row,
    request,
    reply,
    refusal,
    body = bodyOf(request.raw),
  }: {
    readonly row?: Operation
    readonly request: FastifyRequest
    readonly reply: FastifyReply
    readonly refusal: Refusal
    readonly body?: Body
  }): Promise<FastifyReply> {
    const limitBytes = row === undefined ? settings.requestBytesMax : limitOf(row)
    const hasEnded = !hasBody(request.raw) || (await body.drain(limitBytes)) === 'whole'
    if (!hasEnded) reply.header('Connection', 'close')
    return writeRefusal({ row, request, reply, refusal })
  }
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}
