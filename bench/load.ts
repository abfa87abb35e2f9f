/**
 * A load generator as lean as Node allows, so that one core can outrun a server on another core: requests are prepared
 * bytes, and each connection is a bare keep-alive socket with one request at a time.
 */
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { cpuUsage } from 'node:process'

export interface Answer {
  readonly status: number
  /** Status line and headers, without the empty line. */
  readonly head: string
  readonly body: Buffer
}

export interface Connection {
  /** Rejects when the connection breaks. One at a time. */
  ask(request: Request): Promise<Answer>
}

/** The bytes on the wire, in pieces that are sent unchanged. */
export type Request = readonly Uint8Array[]

interface RequestParts {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** Up to this size a body is joined with its head; a larger one is not copied. */
const MAX_JOINED_BYTES = 64 * 1024

export function requestOf({ method, path, headers = {}, body }: RequestParts): Request {
  const sized = method === 'GET' ? headers : { ...headers, 'content-length': String(body?.length ?? 0) }
  const lines = Object.entries(sized).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}\r\n`, 'latin1')
  if (body === undefined) return [head]
  return body.length > MAX_JOINED_BYTES ? [head, body] : [Buffer.concat([head, body])]
}

export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer
  throw new Error(`expected ${status}: ${answer.head.split('\r\n', 1)[0]} ${answer.body.toString().slice(0, 300)}`)
}

export function headerOf({ head }: Answer, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(head)?.[1]
}

export interface Drive {
  /** Of several, each client takes the next in turn. */
  readonly port: number | readonly number[]
  readonly clients: number
  /** Total pieces of work. */
  readonly count: number
  readonly work: (connection: Connection, index: number) => Promise<void>
}

export interface Driven {
  readonly seconds: number
  /** Share of one core that this process used. */
  readonly loadBusy: number
}

/** Measures from the first request to the last answer, on connections that are already open. */
export async function drive({ port, clients, count, work }: Drive): Promise<Driven> {
  const ports = [port].flat()
  const opened = await Promise.all(Array.from({ length: clients }, (_, at) => connect(ports[at % ports.length] ?? 0)))
  const cpuBefore = cpuUsage()
  const startedAt = performance.now()
  try {
    await share(opened, count, work)
    const seconds = (performance.now() - startedAt) / 1000
    const { user, system } = cpuUsage(cpuBefore)
    return { seconds, loadBusy: (user + system) / 1e6 / seconds }
  } finally {
    for (const connection of opened) connection.close()
  }
}

/** Distributes the indexes 0 to `count` − 1: each worker takes the next as soon as it is free. */
export async function share<Worker>(
  workers: readonly Worker[],
  count: number,
  work: (worker: Worker, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const takeEach = async (worker: Worker) => {
    while (next < count) await work(worker, next++)
  }
  await Promise.all(workers.map(takeEach))
}

async function connect(port: number): Promise<Connection & { readonly close: () => void }> {
  const socket = createConnection({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  let waiting: PromiseWithResolvers<Answer> | undefined
  let pieces: Buffer[] = []
  /** Whether the answer may be complete with this piece. Joining at each piece would delay all connections. */
  let mayEndWith: (piece: Buffer) => boolean = () => true
  socket.on('data', (piece) => {
    pieces.push(piece)
    if (!mayEndWith(piece)) return
    const received = pieces.length === 1 ? piece : Buffer.concat(pieces)
    const answer = answerIn(received)
    pieces = answer === undefined ? [received] : []
    mayEndWith = answer === undefined ? endOf(received) : () => true
    if (answer !== undefined) waiting?.resolve(answer)
  })
  socket.on('error', (error) => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')))
  return {
    ask(request) {
      waiting = Promise.withResolvers()
      if (socket.destroyed) waiting.reject(new Error('the server closed the connection'))
      socket.cork()
      for (const piece of request) socket.write(piece)
      socket.uncork()
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}

/** Undefined until the answer is complete. A chunked body keeps its framing, as no row reads one. */
function answerIn(received: Buffer): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = received.toString('latin1', 0, headEnd)
  const status = Number(head.slice(9, 12))
  const body = received.subarray(headEnd + 4)
  return isWhole({ status, head, body }) ? { status, head, body } : undefined
}

function isWhole(answer: Answer): boolean {
  if (answer.status === 204) return true
  const length = headerOf(answer, 'content-length')
  return length === undefined ? endsChunks(answer.body) : answer.body.length >= Number(length)
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n')

function endsChunks(bytes: Buffer): boolean {
  return bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
}

/** For an incomplete answer: which later pieces may complete it. */
function endOf(received: Buffer): (piece: Buffer) => boolean {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return () => true
  const length = headerOf(
    { status: 0, head: received.toString('latin1', 0, headEnd), body: received },
    'content-length',
  )
  if (length === undefined) return (piece) => piece.length < LAST_CHUNK.length || endsChunks(piece)
  let left = headEnd + 4 + Number(length) - received.length
  return (piece) => {
    left -= piece.length
    return left <= 0
  }
}
