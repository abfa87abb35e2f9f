/** Bytes on a bare socket, for what no HTTP client would send. What comes back is not judged against the document: it may be no HTTP at all. */
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

const TIMEOUT_MS = 10_000

export interface RawCall {
  readonly base: string
  /** Pieces, each in a write of its own. */
  readonly pieces: readonly (string | Uint8Array)[]
  /** Ends the sending side after the last piece. */
  readonly finish?: boolean
}

/** Everything that the server wrote until it closed the connection, as Latin-1. Rejects when it has not closed after 10 s. */
export function sendRaw({ base, pieces, finish = false }: RawCall): Promise<string> {
  const { hostname, port, protocol } = new URL(base)
  const isSecure = protocol === 'https:'
  return new Promise((resolve, reject) => {
    const where = { host: hostname, port: Number(port) || (isSecure ? 443 : 80), allowHalfOpen: true }
    const socket = isSecure ? connectSecurely({ ...where, servername: hostname }) : connect(where)
    let received = ''
    socket.setEncoding('latin1')
    socket.setTimeout(TIMEOUT_MS, () =>
      socket.destroy(new Error(`the connection is still open after ${TIMEOUT_MS} ms`)),
    )
    socket.on('data', (text) => {
      received += text
    })
    socket.on('error', (fault) => ('code' in fault && fault.code === 'ECONNRESET' ? resolve(received) : reject(fault)))
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(received))
    socket.on(isSecure ? 'secureConnect' : 'connect', () => {
      for (const piece of pieces) socket.write(piece)
      if (finish) socket.end()
    })
  })
}

/** The status of the first answer; 0 when the server closed without one. */
export function rawStatus(received: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0)
}
