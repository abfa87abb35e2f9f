/** A request as a browser sends it, and its answer as it came over the line: nothing followed, stored or decoded. */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { NetworkError } from '@blindkeep/client/errors'

/** A browser on https, on http, and a program. */
export const CODINGS = { br: 'gzip, deflate, br, zstd', gzip: 'gzip, deflate', plain: 'identity' } as const
export type Coding = keyof typeof CODINGS

/** What each is for, as every browser says it of itself (Fetch Metadata; Service Workers, section 4.4). */
const USES = {
  document: { dest: 'document', mode: 'navigate', site: 'none' },
  frame: { dest: 'iframe', mode: 'navigate', site: 'same-origin' },
  script: { dest: 'script', mode: 'cors', site: 'same-origin' },
  style: { dest: 'style', mode: 'cors', site: 'same-origin' },
  image: { dest: 'image', mode: 'no-cors', site: 'same-origin' },
  manifest: { dest: 'manifest', mode: 'cors', site: 'same-origin' },
  serviceWorker: { dest: 'serviceworker', mode: 'same-origin', site: 'same-origin' },
  data: { dest: 'empty', mode: 'cors', site: 'same-origin' },
} as const
export type Use = keyof typeof USES

export interface Answer {
  readonly status: number
  /** In lower case; a name that came several times has several values. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: Uint8Array
  /** Whether there was more than was wanted. */
  readonly isCut: boolean
  /** Whether another answer came before it (RFC 8297). */
  readonly hasHints: boolean
  /** Whether headers came after the body. */
  readonly hasTrailers: boolean
  /** Whether clients may disagree about where the body begins and ends. */
  readonly isAmbiguous: boolean
}

export interface Question {
  readonly path: string
  readonly coding: Coding
  readonly use: Use
  /** More is not read. */
  readonly maxBytes: number
  /** Of an answer that the browser has kept. */
  readonly ifNoneMatch?: string | undefined
}

export interface Asker {
  ask(question: Question): Promise<Answer>
  close(): void
}

const AT_ONCE = 6
const SILENT_MS = 30_000
/** Of one answer: a server that sends a byte now and then must not hold the check. */
const LONGEST_MS = 120_000

interface AskerOptions {
  readonly baseUrl: string
  readonly userAgent: string
  readonly signal: AbortSignal
}

export function createAsker({ baseUrl, userAgent, signal }: AskerOptions): Asker {
  const module = baseUrl.startsWith('https:') ? https : http
  const agent = new module.Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const { origin } = new URL(baseUrl)
  const headersFor = ({ use, coding, ifNoneMatch }: Question) => ({
    ...headersOf(use),
    'user-agent': userAgent,
    'accept-encoding': CODINGS[coding],
    'accept-language': 'en',
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
  })
  return {
    async ask(question) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)])
      const options = { headers: headersFor(question), signal: limit }
      const begin = (through: http.Agent | false) =>
        module.request(`${baseUrl}${question.path}`, { ...options, agent: through }).end()
      const first = begin(agent)
      try {
        return await answerTo(first, question.maxBytes).catch((error: unknown) => {
          // The server was closing a connection that seemed free. A browser asks again, too.
          if (!first.reusedSocket || codeOf(error) !== 'ECONNRESET' || limit.aborted) throw error
          return answerTo(begin(false), question.maxBytes)
        })
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof NetworkError) throw error
        throw new NetworkError(limit.aborted ? 'timeout' : 'unreachable', limit.aborted ? undefined : codeOf(error), {
          given: origin,
        })
      }
    },
    close: () => agent.destroy(),
  }
}

function headersOf(use: Use): Readonly<Record<string, string>> {
  const { dest, mode, site } = USES[use]
  return {
    accept: mode === 'navigate' ? 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' : '*/*',
    'sec-fetch-dest': dest,
    'sec-fetch-mode': mode,
    'sec-fetch-site': site,
    ...(mode === 'navigate' && { 'upgrade-insecure-requests': '1' }),
    ...(use === 'document' && { 'sec-fetch-user': '?1' }),
    ...(use === 'serviceWorker' && { 'service-worker': 'script' }),
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

function answerTo(sent: http.ClientRequest, maxBytes: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let hasHints = false
    sent.on('information', () => {
      hasHints = true
    })
    sent.setTimeout(SILENT_MS, () => sent.destroy(new NetworkError('timeout')))
    sent.once('error', reject)
    // Neither an error nor an answer would follow.
    sent.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(new NetworkError('unreachable', 'status 101'))
    })
    sent.once('response', (answer) => {
      bodyOf(answer, maxBytes).then((body) => {
        const headers = headersIn(answer.rawHeaders)
        const { statusCode: status = 0, rawTrailers } = answer
        const hasTrailers = rawTrailers.length > 0
        resolve({ status, headers, hasHints, hasTrailers, isAmbiguous: isAmbiguous(answer, headers), ...body })
      }, reject)
    })
  })
}

/** Browsers and Node agree about `chunked` alone: not about more than that, nor before HTTP/1.1 (RFC 9112, 6.1). */
function isAmbiguous({ httpVersion }: IncomingMessage, headers: Answer['headers']): boolean {
  const codings = headers.get('transfer-encoding')
  return codings !== undefined && (httpVersion !== '1.1' || codings.join().toLowerCase() !== 'chunked')
}

async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Pick<Answer, 'body' | 'isCut'>> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of answer) {
    pieces.push(piece)
    length += piece.length
    if (length > maxBytes) break
  }
  return { body: Buffer.concat(pieces).subarray(0, maxBytes), isCut: length > maxBytes }
}

function headersIn(raw: readonly string[]): Answer['headers'] {
  const headers = new Map<string, string[]>()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? ''
    headers.set(name, [...(headers.get(name) ?? []), raw[at + 1] ?? ''])
  }
  return headers
}
