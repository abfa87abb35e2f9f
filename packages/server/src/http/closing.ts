import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Ends what would keep a closing server open: endless answers, which end when the returned signal aborts, and connections without any request.
 * Browsers and fetch open such connections in advance, and Node does not close them as idle ones.
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
