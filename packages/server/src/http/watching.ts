import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestWatch } from '../ports/metrics.ts'
import { problemCodeOf } from './reply.ts'

/** Tells `watch` of every request and connection. Call it before other hooks are added, because they may answer. */
export function watchRequests(app: FastifyInstance, watch: RequestWatch): void {
  app.server.on('connection', watch.connected)
  app.addHook('onRequest', (request, reply, next) => {
    const ended = watch.begun(operationOf(request))
    reply.raw.once('close', () => ended({ status: statusOf(reply), problem: problemCodeOf(reply) }))
    next()
  })
}

function operationOf({ is404, routeOptions }: FastifyRequest): string {
  return is404 ? 'none' : (routeOptions.config.operation ?? 'page')
}

function statusOf({ raw }: FastifyReply): number | undefined {
  return raw.writableFinished ? raw.statusCode : undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of the row, for monitoring. A path may have a credential. */
    readonly operation?: string
  }
}
