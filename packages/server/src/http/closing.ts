import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * What keeps a server from ending, and does not deserve to: answers without an end, which end when the signal says so, and connections over which nothing
 * was ever asked. Browsers and fetch open those ahead of need, and Node does not count them among the idle ones, which it closes itself.
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
  app.addHook('preClose', async () => {
    closing.abort()
    for (const socket of unused) socket.destroy()
  })
  return closing.signal
}
