/** HTTP in front of the rules: a Fastify route for each operation, behind the gates of `admission.ts`. */
import type { Server } from 'node:http'
import { type Operation, type OperationName, operations } from '@blindkeep/protocol/operations'
import { isNegotiatedPath } from '@blindkeep/protocol/window'
import { HEADERS } from '@blindkeep/protocol/wire'
import Fastify, { type FastifyHttpOptions, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Sessions } from '../domain/account/sessions.ts'
import type { AcceptedVersions } from '../domain/discovery/protocolWindow.ts'
import { isRefusal, type Refusal } from '../domain/ground/refusals.ts'
import type { Log } from '../ports/log.ts'
import type { RequestWatch } from '../ports/metrics.ts'
import type { Pages } from '../ports/pages.ts'
import type { StoreBroken } from '../ports/store.ts'
import { type Admit, type Asked, createAdmit } from './admission.ts'
import { bodyOf } from './body.ts'
import { createRefuseBroken, refuseTunnels } from './brokenHttp.ts'
import { type Budget, createBudget } from './budget.ts'
import type { AnyAnswer, Call, Routes } from './call.ts'
import { closingOf } from './closing.ts'
import { boundConnections } from './connections.ts'
import { createErrors, type Errors, unknownPath } from './errors.ts'
import { createNamesThisServer } from './hosts.ts'
import { addPageRoutes, sendToPage } from './pages.ts'
import { fastifyPath, methodsOf, mistakenPaths } from './paths.ts'
import {
  answeredBefore,
  begun,
  type Exchange,
  heldBytesOf,
  whenClosed,
  writeAnswer,
  writeRefusal,
  writtenOut,
} from './reply.ts'
import { createProxyHint, createSenderOf } from './source.ts'
import { watchRequests } from './watching.ts'

export interface HttpSettings {
  readonly requestBytesMax: number
  readonly chunkBytesMax: number
  /** Addresses of proxies whose X-Forwarded-For the server believes. */
  readonly trustedProxies: readonly string[]
  /** The answers whose line in the log has the client's address. */
  readonly logAddresses: 'none' | 'refused' | 'all'
  /** `PUBLIC_URL`, or the address that the server listens on. */
  readonly publicUrl: string
}

interface HttpPorts {
  readonly routes: Routes
  readonly pages: Pages
  readonly sessions: Sessions
  readonly protocolWindow: AcceptedVersions
  readonly log: Log
  readonly newRequestId: () => string
  /** Learns of each request. Absent if no figures are wanted. */
  readonly watch?: RequestWatch | undefined
  /** Of the process; a new one if there is none. */
  readonly budget?: Budget
  /** The process must end: what the database says can no longer be relied on. */
  readonly onBroken: (error: StoreBroken) => void
}

type AnyHandler = (call: Call<OperationName>) => Promise<AnyAnswer | Refusal>

const OPTIONS = {
  logger: false,
  exposeHeadRoutes: false,
  // An upload may take hours: bodies are bounded by their rate (patience.ts).
  requestTimeout: 0,
  // A connection has 20 s, to within the interval, for its next headers, beside the time that it may be idle between
  // requests.
  http: { headersTimeout: 20_000, connectionsCheckingInterval: 5000 },
  // Longer than proxies keep an idle connection (Caddy: 120 s), so that none sends a request on one that is
  // being closed.
  keepAliveTimeout: 130_000,
  forceCloseConnections: 'idle',
  // A request on an open connection is still served while the server ends: no row declares a 503.
  return503OnClosing: false,
  routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
  // Fastify would load Ajv at each start, although no route gives it a schema: bodies are checked by the schemas of the
  // protocol.
  schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
} as const satisfies FastifyHttpOptions<Server>

function withoutSchemas(): never {
  throw new Error('a route gave Fastify a schema')
}

export function createHttpServer(ports: HttpPorts, settings: HttpSettings): FastifyInstance {
  const { routes, pages, sessions, protocolWindow, log } = ports
  const errors = createErrors(ports, settings)
  const senderOf = createSenderOf(settings.trustedProxies)
  const hintAtProxy = createProxyHint(senderOf, log)
  const namesThisServer = createNamesThisServer(settings.publicUrl)

  const app = Fastify({
    ...OPTIONS,
    genReqId: ports.newRequestId,
    clientErrorHandler: createRefuseBroken(() => connections),
    // Fastify calls this for a path that it cannot decode, before any hook.
    frameworkErrors: (_error, request, reply) => {
      addCommonHeaders({ request, reply })
      if (isMisdirected(request)) void errors.refuse({ request, reply, refusal: { refused: 'misdirected' } })
      else void errors.refuseUndecodable({ request, reply })
    },
  })
  const budget = ports.budget ?? createBudget()
  const connections = boundConnections(app.server, undefined, senderOf)
  refuseTunnels(app.server)
  if (ports.watch !== undefined) watchRequests(app, ports.watch)
  const admit = createAdmit({ sessions, protocolWindow, senderOf, closing: closingOf(app) }, settings)
  addOperationRoutes(app, routes, { admit, errors, budget })
  for (const { path, methods } of mistakenPaths())
    app.route({
      method: [...methods],
      url: fastifyPath(path),
      onRequest: (request, reply, next) => {
        errors.refuse({ request, reply, refusal: unknownPath(request) }).catch(next)
      },
      handler: answeredBefore,
    })
  addPageRoutes(app, pages, errors.refuse)
  // Reached when the bytes of an answer could not be read after it began. The error may name paths on the disk, so
  // nothing of it is sent.
  app.setErrorHandler(async (error, request, reply) => {
    log.error('failed', { requestId: request.id, route: request.routeOptions.url ?? 'unknown', error })
    for (const name of ['Content-Length', 'Content-Range', 'Accept-Ranges', 'ETag']) reply.removeHeader(name)
    return writeRefusal({ request, reply, refusal: { refused: 'failed' } })
  })
  app.addHook('onRequest', (request, reply, next) => {
    // A connection that was cut or refused (`connections.ts`), perhaps with thousands of requests ahead in one piece.
    // Their answers would be lost.
    const { socket } = request.raw
    if (socket.destroyed || socket.writableEnded) return void reply.hijack()
    hintAtProxy(request.raw)
    addCommonHeaders({ request, reply })
    if (isMisdirected(request)) errors.refuse({ request, reply, refusal: { refused: 'misdirected' } }).catch(next)
    // An unknown path is refused before Fastify looks at the body's type.
    else if (request.is404) {
      if (sendToPage({ request, reply }) === undefined)
        errors.refuse({ request, reply, refusal: unknownPath(request) }).catch(next)
    } else next()
  })
  app.addHook('onResponse', ({ id, method, routeOptions, raw }, { statusCode, elapsedTime }, next) => {
    // Log the route's pattern, never the path: an opaque id in a path is a credential.
    const route = routeOptions.url ?? 'unknown'
    const address = isAddressLogged(settings, statusCode) ? senderOf(raw).address : undefined
    log.info('answered', { requestId: id, method, route, status: statusCode, ms: Math.round(elapsedTime), address })
    next()
  })
  // The gates and `refuse` read the body, whatever its type.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return app

  function isMisdirected({ raw }: FastifyRequest): boolean {
    return !namesThisServer(raw) && !senderOf(raw).isTrustedProxy
  }

  function addCommonHeaders({ request, reply }: Exchange): void {
    reply.header(HEADERS.requestId, request.id)
    reply.header('X-Content-Type-Options', 'nosniff')
    if (!isNegotiatedPath(request.url)) return
    const { min, max } = protocolWindow.current()
    reply.header(HEADERS.protocolMin, min)
    reply.header(HEADERS.protocolMax, max)
  }
}

/** Why not all of them: `decisions/addresses-in-the-log.md`. */
function isAddressLogged({ logAddresses }: Pick<HttpSettings, 'logAddresses'>, status: number): boolean {
  return logAddresses === 'all' || (logAddresses === 'refused' && status >= 400)
}

interface Serving {
  readonly admit: Admit
  readonly errors: Errors
  readonly budget: Budget
}

function addOperationRoutes(app: FastifyInstance, routes: Routes, serving: Serving): void {
  for (const name of Object.keys(operations) as OperationName[]) {
    const row: Operation = operations[name]
    const handler = routes[name] as AnyHandler
    app.route({
      method: methodsOf(row),
      url: fastifyPath(row.path),
      config: { operation: name },
      // Answers before Fastify reads a body: the gates have an order of their own and count the body as it arrives. So
      // it calls `next` only for a failure.
      onRequest: (request, reply, next) => {
        serve({ row, request, reply }, handler, serving).catch(next)
      },
      handler: answeredBefore,
    })
  }
}

async function serve(asked: Asked, handler: AnyHandler, { admit, errors, budget }: Serving): Promise<FastifyReply> {
  const body = bodyOf(asked.request.raw)
  const hold = budget.open()
  const refuse = (refusal: Refusal): Promise<FastifyReply> => {
    // The rest of a refused body is read without being kept.
    hold.leave()
    return errors.refuse({ ...asked, refusal, body })
  }
  try {
    const call = await admit(asked, { body, hold })
    if (isRefusal(call)) return await refuse(call)
    const answer = await handler(call)
    if (isRefusal(answer)) return await refuse(answer)
    hold.leave()
    const written = await writtenOut(asked.row, answer)
    const overloaded = call.hold('answer', heldBytesOf(written))
    if (overloaded !== undefined) return await refuse(overloaded)
    if (!hold.isEmpty()) whenClosed(asked.reply, hold.leave)
    const onCut = (error: unknown) => void errors.refusalOf(error, asked)
    return writeAnswer({ ...asked, answer: await begun(written), onCut })
  } catch (error) {
    return refuse(errors.refusalOf(error, asked))
  }
}
