/** Requests of guests whom a trusted proxy would name by their sources. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'

/** A server took longer than this: it does not count as an answer. */
const MAX_ANSWER_MS = 30_000

export interface Asked {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export interface Answer {
  readonly status: number
  readonly body: Buffer
  /** The status, and the code of a problem: `429 drop.rate_limited`. */
  readonly said: string
}

export interface Guest {
  /** Rejects when the connection ends without an answer. */
  ask(asked: Asked): Promise<Answer>
  askJson(method: Asked['method'], path: string, json: object): Promise<Answer>
  /** Opens a connection and writes a text, which may contain half of a request, and perhaps a part of its body. */
  open(text: string, begun?: Uint8Array): Promise<Socket>
  /** The headers by which the proxy names this guest, as lines of a request. */
  readonly lines: string
  /** Closes all connections. */
  close(): void
}

export function createGuest(port: number, source: string): Guest {
  const agent = new Agent({ keepAlive: true })
  const sockets = new Set<Socket>()
  const named = { 'x-forwarded-for': source }

  function ask({ method, path, headers, body }: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const length = { 'content-length': String(body?.length ?? 0) }
      const outgoing = request({
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        headers: { ...length, ...headers, ...named },
      })
      outgoing.setTimeout(MAX_ANSWER_MS, () => outgoing.destroy(new Error(`${method} has no answer`)))
      outgoing.once('response', (incoming) => {
        const pieces: Buffer[] = []
        incoming.on('data', (piece: Buffer) => pieces.push(piece))
        incoming.once('error', reject)
        incoming.once('end', () => resolve(answerOf(incoming.statusCode ?? 0, Buffer.concat(pieces))))
      })
      outgoing.once('error', reject)
      outgoing.end(body)
    })
  }

  return {
    ask,
    askJson: (method, path, json) =>
      ask({ method, path, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(json)) }),
    async open(text, begun) {
      const socket = connect(port, '127.0.0.1')
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => sockets.delete(socket))
      await once(socket, 'connect')
      socket.resume().write(text)
      if (begun !== undefined) socket.write(begun)
      return socket
    },
    lines: `host: 127.0.0.1:${port}\r\nx-forwarded-for: ${source}\r\n`,
    close() {
      agent.destroy()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function answerOf(status: number, body: Buffer): Answer {
  const code = status < 400 ? undefined : /"code":"error\.([^"]+)"/.exec(body.toString('latin1'))?.[1]
  return { status, body, said: code === undefined ? String(status) : `${status} ${code}` }
}
