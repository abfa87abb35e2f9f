/**
 * Serves the figures, on a port of its own: clients of the service do not reach them (decisions/metrics.md).
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { utf8 } from '@blindkeep/protocol/bytes'
import { isSame } from '../domain/ground/sameBytes.ts'
import { sha256 } from '../domain/ground/sha256.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import { createNaming } from './hosts.ts'

export interface MetricsServer {
  /** Rejects if the port is taken. */
  listen(place: { readonly host: string; readonly port: number }): Promise<void>
  close(): Promise<void>
}

interface MetricsPorts {
  readonly metrics: Metrics
  readonly log: Log
  /** Who asks must have it, if there is one. */
  readonly token: string | undefined
}

/** A monitoring system has one or two. */
const MAX_CONNECTIONS = 16
const OPTIONS = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 75_000, maxHeaderSize: 8 * 1024 }

export function createMetricsServer({ metrics, log, token }: MetricsPorts): MetricsServer {
  const expected = token === undefined ? undefined : sha256(utf8(`Bearer ${token}`))
  // A page of another site must not read them through a browser on this machine.
  const namingOf = createNaming('http://localhost')

  async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    if (expected !== undefined && !isSame(sha256(utf8(request.headers.authorization ?? '')), expected))
      return refuse(reply, 401, 'A bearer token is required: METRICS_TOKEN.', { 'WWW-Authenticate': 'Bearer' })
    if (expected === undefined && namingOf(request) !== 'own')
      return refuse(reply, 421, 'Ask for localhost or a loopback address, or set METRICS_TOKEN.')
    if (request.url !== '/metrics') return refuse(reply, 404, 'The figures are at /metrics.')
    if (request.method !== 'GET') return refuse(reply, 405, 'Use GET.', { Allow: 'GET' })
    const text = await metrics.text()
    reply.writeHead(200, { ...HEADERS, 'Content-Type': metrics.contentType }).end(text)
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

const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

function refuse(reply: ServerResponse, status: number, why: string, headers: Readonly<Record<string, string>> = {}) {
  reply.writeHead(status, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8', ...headers }).end(`${why}\n`)
}
