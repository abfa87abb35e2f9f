/** A request as a browser sends it, and its answer as it came over the line: nothing followed, stored or decoded. */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { NetworkError } from '@blindkeep/client/errors'

/** A browser on https, on http, and a program. */
export const CODINGS = { br: 'gzip, deflate, br, zstd', gzip: 'gzip, deflate', plain: 'identity' } as const
export type Coding = keyof typeof CODINGS

export interface Answer {
  readonly status: number
  /** In lower case; a name that came several times has several values. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: Uint8Array
  /** Whether there was more than was wanted. */
  readonly isCut: boolean
  /** Whether another answer came before it (RFC 8297). */
  readonly hasHints: boolean
}

export interface Question {
  readonly path: string
  readonly coding: Coding
  readonly isDocument: boolean
  /** More is not read. */
  readonly maxBytes: number
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
  return {
    async ask({ path, coding, isDocument, maxBytes }) {
      const headers = {
        'user-agent': userAgent,
        accept: isDocument ? 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' : '*/*',
        'accept-encoding': CODINGS[coding],
        'accept-language': 'en',
      }
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)])
      const sent = module.request(`${baseUrl}${path}`, { agent, headers, signal: limit })
      try {
        return await answerTo(sent.end(), maxBytes)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof NetworkError) throw error
        const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
        throw new NetworkError(limit.aborted ? 'timeout' : 'unreachable', limit.aborted ? undefined : code, {
          given: origin,
        })
      }
    },
    close: () => agent.destroy(),
  }
}

function answerTo(sent: http.ClientRequest, maxBytes: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let hasHints = false
    sent.on('information', () => {
      hasHints = true
    })
    sent.setTimeout(SILENT_MS, () => sent.destroy(new NetworkError('timeout')))
    sent.once('error', reject)
    sent.once('response', (answer) => {
      const { statusCode: status = 0, rawHeaders } = answer
      bodyOf(answer, maxBytes).then(
        (body) => resolve({ status, headers: headersIn(rawHeaders), hasHints, ...body }),
        reject,
      )
    })
  })
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
