/** Bytes that no HTTP client would send, over a plain socket. The answer is unchecked: it may be no HTTP. */
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

const TIMEOUT_MS = 10_000

interface RawCall {
  readonly base: string
  /** The bytes in pieces, each in its own write. */
  readonly pieces: readonly (string | Uint8Array)[]
  /** Closes the sending side after the last piece. */
  readonly finish?: boolean
}

/** What the server sent until it closed, as Latin-1. Rejects when still open after 10 s. */
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

/** The status of the first answer; 0 when the server closed without an answer. */
export function rawStatus(received: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0)
}
