/**
 * Serves the figures and the operator's page, on a port of its own: clients of the service do not reach them
 * (decisions/metrics.md, decisions/status.md).
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { utf8 } from '@blindkeep/protocol/bytes'
import { DATA_POLICY } from '@blindkeep/protocol/pages'
import type { ServerStatus } from '../domain/closing/serverStatus.ts'
import { isSame } from '../domain/ground/sameBytes.ts'
import { sha256 } from '../domain/ground/sha256.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import { createNaming } from './names/hosts.ts'
import { STATUS_HEADERS, statusPage, tokenPage, unreadPage } from './statusPage.ts'

export interface MetricsServer {
  /** Rejects if the port is taken. */
  listen(place: { readonly host: string; readonly port: number }): Promise<void>
  close(): Promise<void>
}

interface MetricsPorts {
  readonly metrics: Metrics
  readonly readStatus: () => Promise<ServerStatus>
  /** Why /readyz is 503. */
  readonly unreadiness: () => readonly string[]
  readonly log: Log
  /** Who asks must have it, if there is one. */
  readonly token: string | undefined
}

/** A monitoring system has one or two. */
const MAX_CONNECTIONS = 16
const OPTIONS = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 75_000, maxHeaderSize: 8 * 1024 }

/** Of the form with the token. */
const MAX_FORM_BYTES = 4096

export function createMetricsServer({ metrics, readStatus, unreadiness, log, token }: MetricsPorts): MetricsServer {
  const expected = token === undefined ? undefined : sha256(utf8(`Bearer ${token}`))
  // A page of another site must not read them through a browser on this machine.
  const namingOf = createNaming('http://localhost')

  const hasToken = (authorization = '') => expected === undefined || isSame(sha256(utf8(authorization)), expected)

  async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    if (expected === undefined && namingOf(request) !== 'own')
      return refuse(reply, 421, 'Ask for localhost or a loopback address, or set METRICS_TOKEN.')
    if (request.url === '/status') return answerStatus(request, reply)
    if (!hasToken(request.headers.authorization))
      return refuse(reply, 401, 'A bearer token is required: METRICS_TOKEN.', { 'WWW-Authenticate': 'Bearer' })
    if (request.url !== '/metrics') return refuse(reply, 404, 'The figures are at /metrics, the page is at /status.')
    if (request.method !== 'GET') return refuse(reply, 405, 'Use GET.', { Allow: 'GET' })
    const text = await metrics.text()
    reply.writeHead(200, { ...HEADERS, 'Content-Type': metrics.contentType }).end(text)
  }

  /** A browser sends no header of its own, so it may also send the token as a form. Nothing remembers it. */
  async function answerStatus(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const send = (status: number, page: string, headers: Readonly<Record<string, string>> = {}) =>
      void reply.writeHead(status, { ...HEADERS, ...STATUS_HEADERS, ...headers }).end(page)
    const isForm = request.method === 'POST' && expected !== undefined
    if (request.method !== 'GET' && !isForm) return refuse(reply, 405, 'Use GET.', { Allow: 'GET' })
    const authorization = isForm ? `Bearer ${await tokenIn(request)}` : request.headers.authorization
    if (!hasToken(authorization))
      return send(401, tokenPage({ isWrong: authorization !== undefined }), { 'WWW-Authenticate': 'Bearer' })
    const status = await readStatus().catch((error: unknown) => {
      log.error('the status could not be read', { error })
      return undefined
    })
    return status === undefined ? send(503, unreadPage(unreadiness())) : send(200, statusPage(status))
  }

  const server = createServer(OPTIONS, (request, reply) => {
    answer(request, reply).catch((error: unknown) => {
      log.error('the metrics could not be read', { error })
      refuse(reply, 500, 'The figures could not be read. The log says why.')
    })
  })
  server.maxConnections = MAX_CONNECTIONS
  return {
    async listen(place) {
      server.listen(place)
      await once(server, 'listening')
    },
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Empty if the body is longer than a token, no form, or broken off: a stranger must not fill the log. */
const tokenIn = (request: IncomingMessage) => tokenOfForm(request).catch(() => '')

async function tokenOfForm(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    length += piece.length
    if (length > MAX_FORM_BYTES) return ''
    pieces.push(piece)
  }
  return new URLSearchParams(Buffer.concat(pieces).toString()).get('token') ?? ''
}

/** No page of another site shows or embeds an answer. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': DATA_POLICY,
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

function refuse(reply: ServerResponse, status: number, why: string, headers: Readonly<Record<string, string>> = {}) {
  reply.writeHead(status, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8', ...headers }).end(`${why}\n`)
}
