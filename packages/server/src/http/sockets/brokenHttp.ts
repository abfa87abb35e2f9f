/** No HTTP of ours reaches no route, but is answered: proxies count a silent close as a broken server. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { READ_ON } from './body.ts'
import type { Connections } from './connections.ts'
import { emptyAnswer } from './emptyAnswer.ts'

const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}
const MALFORMED = '400 Bad Request'

type RefuseBroken = (error: NodeJS.ErrnoException, socket: Socket) => void

export function createRefuseBroken(connections: Connections): RefuseBroken {
  /** The bytes that a connection had brought when it was answered. */
  const answeredAt = new WeakMap<Socket, number>()
  return (error, socket) => {
    const begun = answeredAt.get(socket)
    // Called again for all that follows on a connection that has been answered.
    if (begun !== undefined) return void (socket.bytesRead - begun > READ_ON.bytes && socket.destroy())
    const { awaited, begunAnswers } = connections.of(socket)
    if (begunAnswers > 0) return socket.destroySoon()
    // A browser opens connections ahead. An answer to a late one could meet its first request, which it would refuse;
    // one that is closed, it replaces.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || !socket.writable) return void socket.destroy()
    answeredAt.set(socket, socket.bytesRead)
    const status = STATUSES[error.code ?? ''] ?? MALFORMED
    // A request whose body broke would answer later.
    if (awaited > 0) {
      socket.write(emptyAnswer(status))
      socket.destroySoon()
    } else endAfter(socket, status)
  }
}

/** Node closes the connection of a tunnel without an answer. */
export function refuseTunnels(server: Server): void {
  server.on('connect', (_request, stream) => {
    const socket = stream as Socket
    socket.on('error', () => undefined).resume()
    endAfter(socket, MALFORMED)
  })
}

/** The other side has time to read the answer: see `readOn` of a body. */
function endAfter(socket: Socket, status: string): void {
  socket.end(emptyAnswer(status))
  const closing = setTimeout(() => socket.destroy(), READ_ON.silentMs).unref()
  socket.once('close', () => clearTimeout(closing))
}
