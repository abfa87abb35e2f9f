/** An answer against what the list of a release says of it. */
import { createHash } from 'node:crypto'
import zlib from 'node:zlib'
import type { Answer } from './asking.ts'
import type { Expected } from './lists.ts'

/**
 * `page`: what a browser shows or runs is another. `headers`: what a browser is allowed to do with it may be. `answer`:
 * there was nothing to compare.
 */
export interface Difference {
  readonly about: 'page' | 'headers' | 'answer'
  readonly what: string
}

/** Each may change a page, or send something of its visitors elsewhere. No server of ours sends one with a page. */
const REFUSED = new RegExp(
  `^(?:${[
    'link',
    'refresh',
    'location',
    'content-location',
    'content-disposition',
    'set-cookie',
    'service-worker-allowed',
    'sourcemap',
    'x-sourcemap',
    'speculation-rules',
    'origin-trial',
    'report-to',
    'reporting-endpoints',
    'nel',
    'content-security-policy-report-only',
    'access-control-.*',
    'clear-site-data',
    'document-policy.*',
    'integrity-policy.*',
    'require-document-policy',
    'use-as-dictionary',
    'supports-loading-mode',
  ].join('|')})$`,
)

const MAX_SHOWN = 300

/** What HTTP needs, and what proxies may add. */
const EXPECTED_OTHERS: ReadonlySet<string> = new Set([
  'age',
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'etag',
  'keep-alive',
  'server',
  'strict-transport-security',
  'transfer-encoding',
  'vary',
  'via',
  'x-request-id',
])

export function differencesIn(answer: Answer, expected: Expected): readonly Difference[] {
  const { status } = answer
  const isAway = status === 429 || status >= 500
  if (status !== 200) return [{ about: isAway ? 'answer' : 'page', what: `was answered with status ${status}` }]
  const fault = faultOfBody(answer, expected)
  return [
    ...(fault === undefined ? [] : [{ about: 'page', what: fault } as const]),
    ...headerDifferences(answer, expected),
  ]
}

function faultOfBody(answer: Answer, { sha256, length }: Pick<Expected, 'sha256' | 'length'>): string | undefined {
  if (answer.isCut) return 'is longer than that of the release'
  try {
    const bytes = decoded(answer, length)
    const isEqual = bytes.length === length && createHash('sha256').update(bytes).digest('hex') === sha256
    return isEqual ? undefined : 'has other bytes than that of the release'
  } catch {
    return 'cannot be decoded, or is longer than that of the release'
  }
}

/** Throws for what cannot be decoded, and for more than `maxBytes`. */
export function decoded({ headers, body }: Pick<Answer, 'headers' | 'body'>, maxBytes: number): Uint8Array {
  const coding = headers.get('content-encoding')?.join(', ').trim().toLowerCase() ?? 'identity'
  const options = { maxOutputLength: Math.max(1, maxBytes) }
  if (coding === 'identity') return body
  if (coding === 'br') return zlib.brotliDecompressSync(body, options)
  if (coding === 'gzip') return zlib.gunzipSync(body, options)
  if (coding === 'deflate') return zlib.inflateSync(body, options)
  // From Node 22.15 on.
  if (coding === 'zstd' && 'zstdDecompressSync' in zlib) return zlib.zstdDecompressSync(body, options)
  throw new RangeError('an unknown coding')
}

export function headerDifferences(
  { headers, hasHints }: Pick<Answer, 'headers' | 'hasHints'>,
  expected: Pick<Expected, 'headers'>,
): readonly Difference[] {
  const differ = Object.entries(expected.headers).flatMap(([name, value]) => {
    const given = headers.get(name)?.join(', ')
    if (given === value) return []
    return [given === undefined ? `has no header ${name}` : `has another header ${name}: ${cut(given)}`]
  })
  const refused = [...headers.keys()]
    .filter((name) => REFUSED.test(name) && expected.headers[name] === undefined)
    .map((name) => `has a header that may change it, ${name}: ${cut(headers.get(name)?.join(', '))}`)
  const hints = hasHints ? ['comes after an answer with hints (103), which may load other files'] : []
  return [...differ, ...refused, ...hints].map((what) => ({ about: 'headers', what }))
}

function cut(value = ''): string {
  return value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value
}

/** The names of headers that a release does not send, and that change no page. */
export function othersIn({ headers }: Pick<Answer, 'headers'>, expected: Pick<Expected, 'headers'>): readonly string[] {
  return [...headers.keys()].filter(
    (name) => !EXPECTED_OTHERS.has(name) && !REFUSED.test(name) && expected.headers[name] === undefined,
  )
}
