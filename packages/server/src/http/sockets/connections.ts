/**
 * Bounds what connections cost: how many there are, from one address and in all, how many requests one of them has
 * under way, and how long its client may take nothing of an answer. Numbers: `decisions/limits.md`.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../../domain/ground/guestNetwork.ts'
import { createSenderOf, type SenderOf } from '../names/source.ts'
import { emptyAnswer } from './emptyAnswer.ts'

export interface ConnectionLimits {
  readonly total: number
  /**
   * From one public IPv4 address or IPv6 /48 (`guestNetwork.ts`). A private or loopback peer may send the requests of
   * many clients. Of a network that a trusted proxy names, so many unfinished requests, because the proxy opens a
   * connection for each.
   */
  readonly ofSource: number
  /** Requests that one connection has sent without waiting for answers. Browsers and proxies wait for each. */
  readonly pipelined: number
  /** How long a client may take nothing of an answer that waits for it. */
  readonly stalledMs: number
}

const LIMITS: ConnectionLimits = { total: 4096, ofSource: 512, pipelined: 4, stalledMs: 60_000 }

interface Connection {
  readonly source: string | undefined
  /** Of requests without a complete answer. */
  readonly replies: Set<ServerResponse>
  /** Bytes that the system had taken at the last look, and when that number last changed. */
  sentBytes: number
  sentAt: number
}

export interface Connections {
  /** How many requests of a connection wait for their answers, and how many of these answers have begun. */
  of(socket: Socket): { readonly awaited: number; readonly begunAnswers: number }
}

const TOO_MANY = emptyAnswer('429 Too Many Requests', ['Retry-After: 5'])

/** How much each network holds. One that is not known has always room. */
function createShares(max: number) {
  const held = new Map<string, number>()
  return {
    hasRoom: (network: string | undefined) => network === undefined || (held.get(network) ?? 0) < max,
    take(network: string | undefined): void {
      if (network !== undefined) held.set(network, (held.get(network) ?? 0) + 1)
    },
    leave(network: string | undefined): void {
      if (network === undefined) return
      const others = (held.get(network) ?? 0) - 1
      if (others > 0) held.set(network, others)
      else held.delete(network)
    },
  }
}

/** Call it before the server listens. A proxy that `senderOf` trusts is not one source but many. */
export function boundConnections(
  server: Server,
  limits: ConnectionLimits = LIMITS,
  senderOf: SenderOf = createSenderOf([]),
): Connections {
  /** In the order in which they were made. */
  const open = new Map<Socket, Connection>()
  const ofPeers = createShares(limits.ofSource)
  const ofProxied = createShares(limits.ofSource)

  function enter(socket: Socket): void {
    const source = networkOf(senderOf({ headers: {}, socket }).source)
    if (!ofPeers.hasRoom(source) || (open.size >= limits.total && !closeOldestIdle())) {
      socket.destroy()
      return
    }
    ofPeers.take(source)
    open.set(socket, { source, replies: new Set(), sentBytes: 0, sentAt: performance.now() })
    socket.once('close', () => leave(socket, source))
  }

  function leave(socket: Socket, source: string | undefined): void {
    const replies = open.get(socket)?.replies ?? []
    if (open.delete(socket)) ofPeers.leave(source)
    // Node 22 never ends the answers that a connection still had before it, and what they hold would stay held.
    for (const reply of replies) {
      reply.destroy()
      reply.emit('close')
    }
  }

  /** A connection without a request gives its place to a new one. */
  function closeOldestIdle(): boolean {
    for (const [socket, { source, replies }] of open) {
      if (replies.size > 0) continue
      leave(socket, source)
      socket.destroy()
      return true
    }
    return false
  }

  function noteRequest(request: IncomingMessage, reply: ServerResponse): void {
    const { socket } = request
    const connection = open.get(socket)
    if (connection === undefined) return
    const { replies } = connection
    const { source, isTrustedProxy } = senderOf(request)
    const network = isTrustedProxy ? networkOf(source) : undefined
    const hasRoom = ofProxied.hasRoom(network)
    replies.add(reply)
    if (hasRoom) ofProxied.take(network)
    reply.once('close', () => {
      replies.delete(reply)
      if (hasRoom) ofProxied.leave(network)
    })
    if (replies.size > limits.pipelined) socket.destroy()
    if (!hasRoom) {
      // Its body is not waited for: the connection would stay taken.
      socket.write(TOO_MANY)
      socket.destroySoon()
    }
  }

  function cutStalled(): void {
    const now = performance.now()
    for (const [socket, connection] of open) {
      const sentBytes = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || sentBytes !== connection.sentBytes) {
        connection.sentBytes = sentBytes
        connection.sentAt = now
      } else if (now - connection.sentAt >= limits.stalledMs) socket.destroy()
    }
  }

  const looking = setInterval(cutStalled, limits.stalledMs / 6).unref()
  server.on('close', () => clearInterval(looking))
  server.on('connection', enter)
  // Before the routes, which do nothing for a connection that has ended here.
  server.prependListener('request', noteRequest)
  return {
    of(socket) {
      const replies = [...(open.get(socket)?.replies ?? [])]
      return { awaited: replies.length, begunAnswers: replies.filter(({ headersSent }) => headersSent).length }
    },
  }
}
