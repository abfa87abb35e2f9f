import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Closing {
  /** Aborts when the server ends: endless answers must end then. */
  readonly signal: AbortSignal
  /** Accepts no more connections, and waits for the answers to those that are open. */
  close(): Promise<void>
}

/**
 * Ends what would keep a closing server open: endless answers, connections without any request, and those that always
 * have another one. Browsers and fetch open such connections in advance, and Node does not close them as idle ones.
 */
export function closingOf(server: Server): Closing {
  const closing = new AbortController()
  const unused = new Set<Socket>()
  server.on('connection', (socket) => {
    if (closing.signal.aborted) socket.destroy()
    else unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }, reply) => {
    unused.delete(socket)
    // A client that asks again and again, as a probe does, would keep its connection, and the server would wait for it.
    if (closing.signal.aborted) reply.setHeader('connection', 'close')
    // A request that was under way when the server closed its idle connections leaves one behind.
    reply.once('finish', () => {
      if (closing.signal.aborted) setImmediate(() => server.closeIdleConnections())
    })
  })
  return {
    signal: closing.signal,
    async close() {
      closing.abort()
      for (const socket of unused) socket.destroy()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
