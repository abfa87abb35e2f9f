/**
 * Bounds what connections cost: how many there are, from one address and in all, how many requests one of them has under way, and how long its client may
 * take nothing of an answer. Numbers: `decisions/limits.md`.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../domain/ground/guestNetwork.ts'
import { createSenderOf, type SenderOf } from './source.ts'

export interface ConnectionLimits {
  readonly total: number
  /** From one public IPv4 address or IPv6 /48 (`guestNetwork.ts`). A private or loopback peer, or a trusted proxy, may send the requests of many clients. */
  readonly ofSource: number
  /** Requests that one connection has sent ahead without waiting for answers. */
  readonly pipelined: number
  /** How long a client may take nothing of an answer that waits for it. */
  readonly stalledMs: number
}

const LIMITS: ConnectionLimits = { total: 4096, ofSource: 512, pipelined: 32, stalledMs: 60_000 }

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

/** Call it before the server listens. A proxy that `senderOf` trusts is not one source but many. */
export function boundConnections(
  server: Server,
  limits: ConnectionLimits = LIMITS,
  senderOf: SenderOf = createSenderOf([]),
): Connections {
  /** In the order in which they were made. */
  const open = new Map<Socket, Connection>()
  const perSource = new Map<string, number>()

  function enter(socket: Socket): void {
    const source = networkOf(senderOf({ headers: {}, socket }).source)
    const present = source === undefined ? 0 : (perSource.get(source) ?? 0)
    if (present >= limits.ofSource || (open.size >= limits.total && !closeOldestIdle())) {
      socket.destroy()
      return
    }
    if (source !== undefined) perSource.set(source, present + 1)
    open.set(socket, { source, replies: new Set(), sentBytes: 0, sentAt: performance.now() })
    socket.once('close', () => leave(socket, source))
  }

  function leave(socket: Socket, source: string | undefined): void {
    if (!open.delete(socket) || source === undefined) return
    const others = (perSource.get(source) ?? 0) - 1
    if (others > 0) perSource.set(source, others)
    else perSource.delete(source)
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

  function noteRequest({ socket }: IncomingMessage, reply: ServerResponse): void {
    const connection = open.get(socket)
    if (connection === undefined) return
    const { replies } = connection
    replies.add(reply)
    reply.once('close', () => replies.delete(reply))
    if (replies.size > limits.pipelined) socket.destroy()
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
  server.on('request', noteRequest)
  return {
    of(socket) {
      const replies = [...(open.get(socket)?.replies ?? [])]
      return { awaited: replies.length, begunAnswers: replies.filter(({ headersSent }) => headersSent).length }
    },
  }
}
