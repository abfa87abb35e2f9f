/** HTTP in front of the rules: a route for each row of the table of operations, behind the gates of `admission.ts`. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { type Operation, type OperationName, operations } from '@blindkeep/protocol/operations'
import { isNegotiatedPath } from '@blindkeep/protocol/window'
import { HEADERS } from '@blindkeep/protocol/wire'
import createRouter from 'find-my-way'
import type { Proofs } from '../domain/account/proofs.ts'
import type { Sessions } from '../domain/account/sessions.ts'
import type { AcceptedVersions } from '../domain/discovery/protocolWindow.ts'
import { isRefusal, type Refusal } from '../domain/ground/refusals.ts'
import type { Log } from '../ports/log.ts'
import type { RequestWatch } from '../ports/metrics.ts'
import type { Pages } from '../ports/pages.ts'
import type { StoreBroken } from '../ports/store.ts'
import { type Admit, type Asked, createAdmit } from './admission.ts'
import { type Budget, createBudget } from './budget.ts'
import type { AnyAnswer, Call, Routes } from './call.ts'
import { createErrors, type Errors, unknownPath } from './errors.ts'
import { createAtFormerName } from './formerName.ts'
import { createNaming } from './names/hosts.ts'
import { createProxyHint, createSenderOf, type SenderOf } from './names/source.ts'
import { pageRoutes, sendToPage, sendUnknown } from './pages.ts'
import { methodsOf, mistakenPaths, routerPath } from './paths.ts'
import { type Policies, policiesOf, policyAt } from './policies.ts'
import { createReadTurns, type InReadTurns } from './readTurns.ts'
import {
  begun,
  type Exchange,
  forgetHeaders,
  heldBytesOf,
  type Incoming,
  problemCodeOf,
  type Route,
  setHeaders,
  type WrittenAnswer,
  whenClosed,
  writeAnswer,
  writeRefusal,
  writtenOut,
} from './reply.ts'
import { bodyOf } from './sockets/body.ts'
import { createRefuseBroken, refuseTunnels } from './sockets/brokenHttp.ts'
import { closingOf } from './sockets/closing.ts'
import { boundConnections } from './sockets/connections.ts'

export interface HttpSettings {
  readonly requestBytesMax: number
  readonly chunkBytesMax: number
  /** Addresses of proxies whose X-Forwarded-For the server believes. */
  readonly trustedProxies: readonly string[]
  /** The answers whose line in the log has the client's address. */
  readonly logAddresses: 'none' | 'refused' | 'all'
  /** `PUBLIC_URL`, or the address that the server listens on. */
  readonly publicUrl: string
  /** What `PUBLIC_URL` was before each move. */
  readonly formerUrls: readonly string[]
}

interface HttpPorts {
  readonly routes: Routes
  readonly pages: Pages
  readonly sessions: Sessions
  readonly proofs: Pick<Proofs, 'provedKey'>
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

const OPTIONS: ServerOptions = {
  // An upload may take hours: bodies are bounded by their rate (patience.ts).
  requestTimeout: 0,
  // A connection has 20 s, to within the interval, for its next headers, beside the time that it may be idle between
  // requests.
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5000,
  // Longer than proxies keep an idle connection (Caddy: 120 s), so that none sends a request on one that is
  // being closed.
  keepAliveTimeout: 130_000,
}

export interface HttpServer {
  readonly server: Server
  /** Rejects if the server cannot listen there. */
  listen(place: { readonly host: string; readonly port: number }): Promise<void>
  /** Accepts no more connections, and waits for the answers to those that are open. */
  close(): Promise<void>
}

export function createHttpServer(ports: HttpPorts, settings: HttpSettings): HttpServer {
  const { routes, pages, watch } = ports
  const errors = createErrors(ports, settings)
  const senderOf = createSenderOf(settings.trustedProxies)
  const server = createServer(OPTIONS)
  server.on('clientError', createRefuseBroken(boundConnections(server, undefined, senderOf)))
  refuseTunnels(server)
  if (watch !== undefined) server.on('connection', watch.connected)
  const { signal, close } = closingOf(server)

  const policies = policiesOf(pages)
  const answering = createAnswering(ports, settings, { errors, senderOf, policies })
  const refuseUnknown: Route['answer'] = (exchange) =>
    errors.refuse({ ...exchange, refusal: unknownPath(exchange.request) })
  const isShownUnknown = (exchange: Exchange) => sendUnknown(pages, policyAt(policies, exchange.request.url), exchange)
  const undecodable = answering({
    answer: async (exchange) => (isShownUnknown(exchange) ? undefined : errors.refuseUndecodable(exchange)),
  })
  const router = createRouter({
    maxParamLength: 16_384,
    onBadUrl: (_path, request, reply) => undecodable(request, reply),
    onMaxParamLength: (_path, request, reply) => undecodable(request, reply),
    defaultRoute: answering({
      answer: async (exchange, given) =>
        sendToPage(exchange) || isShownUnknown(exchange) ? undefined : refuseUnknown(exchange, given),
    }),
  })
  const admit = createAdmit({ ...ports, senderOf, closing: signal }, settings)
  const serving = { admit, errors, budget: ports.budget ?? createBudget(), inReadTurns: createReadTurns() }
  const mistaken = mistakenPaths().map((own) => ({ ...own, operation: 'page', answer: refuseUnknown }))
  for (const route of [...operationRoutes(routes, serving), ...mistaken, ...pageRoutes(pages, errors.refuse)])
    router.on([...route.methods], routerPath(route.path), answering(route))
  server.on('request', (request, reply) => router.lookup(request, reply))
  return {
    server,
    close,
    async listen(place) {
      server.listen(place)
      await once(server, 'listening')
    },
  }
}

/** What each request passes before its route answers. Log and figures learn of its end. */
function createAnswering(
  { protocolWindow, log, watch, newRequestId }: HttpPorts,
  settings: HttpSettings,
  { errors, senderOf, policies }: { readonly errors: Errors; readonly senderOf: SenderOf; readonly policies: Policies },
) {
  const hintAtProxy = createProxyHint(senderOf, log)
  const namingOf = createNaming(settings.publicUrl, settings.formerUrls)
  const atFormerName = createAtFormerName({ ...settings, ...errors })

  return ({ path, operation = 'none', answer }: Pick<Route, 'answer'> & Partial<Route>) => {
    // Log the route's pattern, never the path: an opaque id in a path is a credential.
    const route = path === undefined ? 'unknown' : routerPath(path)
    const policy = path === undefined ? undefined : policyAt(policies, path)
    return (incoming: IncomingMessage, reply: ServerResponse, given: object = {}): void => {
      const request = incoming as Incoming
      const exchange = { id: newRequestId(), request, reply }
      follow(exchange, { route, operation })
      // A connection that was cut or refused (`connections.ts`), perhaps with thousands of requests ahead in one piece.
      // Their answers would be lost.
      if (request.socket.destroyed || request.socket.writableEnded) return
      hintAtProxy(request)
      addCommonHeaders(exchange, policy)
      const answered =
        answeredByName(exchange, operation) ?? answer(exchange, given as Readonly<Record<string, string>>)
      // The error may name paths on the disk, so nothing of it is sent.
      answered.catch((error: unknown) => {
        log.error('failed', { requestId: exchange.id, route, error })
        if (reply.headersSent) return void reply.destroy()
        // They may be what failed, and would be of another answer.
        forgetHeaders(reply)
        addCommonHeaders(exchange, policy)
        writeRefusal({ ...exchange, refusal: { refused: 'failed' } })
      })
    }
  }

  /** Undefined where the name is the present one. */
  function answeredByName(exchange: Exchange, operation: string): Promise<void> | undefined {
    const { request } = exchange
    const naming = namingOf(request)
    if (naming === 'own' || (naming === 'other' && senderOf(request).isTrustedProxy)) return undefined
    if (naming === 'other') return errors.refuse({ ...exchange, refusal: { refused: 'misdirected' } })
    return atFormerName({ ...exchange, operation, wasWhole: naming === 'former_whole' })
  }

  function follow({ id, request, reply }: Exchange, { route, operation }: { route: string; operation: string }): void {
    const begunAt = performance.now()
    const ended = watch?.begun(operation)
    if (ended !== undefined)
      reply.once('close', () => {
        ended({ status: reply.writableFinished ? reply.statusCode : undefined, problem: problemCodeOf(reply) })
      })
    reply.once('finish', () => {
      const { statusCode: status } = reply
      const address = isAddressLogged(settings, status) ? senderOf(request).address : undefined
      const ms = Math.round(performance.now() - begunAt)
      log.info('answered', { requestId: id, method: request.method, route, status, ms, address })
    })
  }

  function addCommonHeaders({ id, request, reply }: Exchange, policy = policyAt(policies, request.url)): void {
    setHeaders(reply, {
      [HEADERS.requestId]: id,
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
    })
    if (!isNegotiatedPath(request.url)) return
    const { min, max } = protocolWindow.current()
    setHeaders(reply, { [HEADERS.protocolMin]: min, [HEADERS.protocolMax]: max })
  }
}

/** Why not all of them: `decisions/addresses-in-the-log.md`. */
function isAddressLogged({ logAddresses }: Pick<HttpSettings, 'logAddresses'>, status: number): boolean {
  return logAddresses === 'all' || (logAddresses === 'refused' && status >= 400)
}

/** From the call to what is ready to be sent. */
type Work = (call: Call<OperationName>) => Promise<WrittenAnswer | Refusal>

interface Serving {
  readonly admit: Admit
  readonly errors: Errors
  readonly budget: Budget
  readonly inReadTurns: InReadTurns
}

function operationRoutes(routes: Routes, serving: Serving): readonly Route[] {
  return Object.keys(operations).map((name) => {
    const row: Operation = operations[name as OperationName]
    const handler = routes[name as OperationName] as AnyHandler
    const work = serving.inReadTurns(row, async (call: Call<OperationName>) => {
      const answer = await handler(call)
      return isRefusal(answer) ? answer : await writtenOut(row, answer)
    })
    return {
      methods: methodsOf(row),
      path: row.path,
      operation: name,
      answer: (exchange, given) => serve({ ...exchange, row, given }, work, serving),
    }
  })
}

async function serve(asked: Asked, work: Work, { admit, errors, budget }: Serving): Promise<void> {
  const body = bodyOf(asked.request)
  const hold = budget.open()
  const refuse = (refusal: Refusal): Promise<void> => {
    // The rest of a refused body is read without being kept.
    hold.leave()
    return errors.refuse({ ...asked, refusal, body })
  }
  try {
    const call = await admit(asked, { body, hold })
    if (isRefusal(call)) return await refuse(call)
    const written = await work(call)
    if (isRefusal(written)) return await refuse(written)
    hold.leave()
    const overloaded = call.hold('answer', heldBytesOf(written))
    if (overloaded !== undefined) return await refuse(overloaded)
    if (!hold.isEmpty()) whenClosed(asked.reply, hold.leave)
    const onCut = (error: unknown) => void errors.refusalOf(error, asked)
    writeAnswer({ ...asked, answer: await begun(written), onCut })
  } catch (error) {
    return refuse(errors.refusalOf(error, asked))
  }
}
