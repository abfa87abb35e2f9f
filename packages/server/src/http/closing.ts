import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Ends what would keep a closing server open: endless answers, which end when the returned signal aborts, connections
 * without any request, and those that always have another one. Browsers and fetch open such connections in advance, and
 * Node does not close them as idle ones.
 */
export function closingOf(app: FastifyInstance): AbortSignal {
  const closing = new AbortController()
  const unused = new Set<Socket>()
  app.server.on('connection', (socket) => {
    if (closing.signal.aborted) socket.destroy()
    else unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', ({ socket }) => unused.delete(socket))
  // A client that asks again and again, as a probe does, would keep its connection, and the server would wait for it.
  app.addHook('onRequest', (_request, reply, next) => {
    if (closing.signal.aborted) reply.header('Connection', 'close')
    next()
  })
  // A request that was under way when the server closed its idle connections leaves one behind.
  app.addHook('onResponse', (_request, _reply, next) => {
    if (closing.signal.aborted) setImmediate(() => app.server.closeIdleConnections())
    next()
  })
  app.addHook('preClose', async () => {
    closing.abort()
    for (const socket of unused) socket.destroy()
  })
  return closing.signal
}
