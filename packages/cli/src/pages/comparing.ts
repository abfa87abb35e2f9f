/** An answer against what the list of a release says of it. */
import { createHash } from 'node:crypto'
import type { Answer } from './asking.ts'
import { decoded } from './coded.ts'
import type { Expected } from './lists.ts'

/**
 * `page`: what a browser shows or runs is another. `headers`: what a browser is allowed to do with it may be. `answer`:
 * there was nothing to compare.
 */
export interface Difference {
  readonly about: 'page' | 'headers' | 'answer'
  readonly what: string
}

/**
 * Each has an effect in some browser: it loads, redirects, allows, forbids, stores, reports or tells. No server of ours
 * sends one with a page, beside those in its list.
 */
const REFUSED = new RegExp(
  `^(?:${[
    // Load, lead elsewhere, or make something else of the bytes.
    'link',
    'refresh',
    'location',
    'content-(?:location|disposition|language|range|style-type|script-type)',
    'default-style',
    'sourcemap',
    'x-sourcemap',
    'speculation-rules',
    'supports-loading-mode',
    'no-vary-search',
    'use-as-dictionary',
    'x-ua-compatible',
    'x-dns-prefetch-control',
    // Allow or forbid.
    '(?:x-)?content-security-policy.*',
    'x-webkit-csp.*',
    'allow-csp-from',
    'access-control-.*',
    'cross-origin-.*',
    'origin-agent-cluster',
    'origin-trial',
    'permissions-policy.*',
    'feature-policy.*',
    'referrer-policy',
    'document-.*',
    'require-document-policy',
    'integrity-policy.*',
    'connection-allowlist.*',
    'service-worker-.*',
    'timing-allow-origin',
    // Store, sign in, or clear.
    'set-cookie.*',
    'set-login',
    'sec-.*',
    'secure-session-.*',
    'activate-storage-access',
    'shared-storage-.*',
    'clear-site-data',
    '(?:www|proxy)-authenticate',
    // Report or tell.
    'report-to',
    'reporting-endpoints',
    'nel',
    'expect-ct',
    'public-key-pins.*',
    'accept-ch.*',
    'critical-ch',
    'attribution-reporting-.*',
    'ad-auction-.*',
    'observe-browsing-topics',
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
  if (answer.status !== expected.status) return [awayIn(answer) ?? statusDifference('page', answer)]
  const fault = faultOfBody(answer, expected)
  return [
    ...(fault === undefined ? [] : [{ about: 'page', what: fault } as const]),
    ...headerDifferences(answer, expected),
  ]
}

/** An answer that says only that there is none now. */
export function awayIn(answer: Answer): Difference | undefined {
  return answer.status === 429 || answer.status >= 500 ? statusDifference('answer', answer) : undefined
}

function statusDifference(about: Difference['about'], { status }: Answer): Difference {
  return { about, what: `was answered with status ${status}` }
}

function faultOfBody(answer: Answer, { sha256, length }: Pick<Expected, 'sha256' | 'length'>): string | undefined {
  if (answer.isAmbiguous) return 'has a Transfer-Encoding by which a browser may read other bytes than this program'
  if (answer.isCut) return 'is longer than that of the release'
  try {
    const bytes = decoded(answer, length)
    const isEqual = bytes.length === length && createHash('sha256').update(bytes).digest('hex') === sha256
    return isEqual ? undefined : 'has other bytes than that of the release'
  } catch {
    return 'cannot be decoded as browsers do it, or is longer than that of the release'
  }
}

/**
 * What a browser makes of an answer to a question about what it has: of a 304 each header replaces the one that it has
 * kept (RFC 9111, section 4.3.4), and those that are missing change nothing.
 */
export function laterDifferences(answer: Answer, expected: Expected): readonly Difference[] {
  if (answer.status !== 304) return differencesIn(answer, expected)
  const given = Object.entries(expected.headers).filter(([name]) => answer.headers.has(name))
  return headerDifferences(answer, { headers: Object.fromEntries(given) })
}

export function headerDifferences(
  { headers, hasHints, hasTrailers }: Pick<Answer, 'headers' | 'hasHints' | 'hasTrailers'>,
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
  const trailers = hasTrailers ? ['has headers behind its end'] : []
  return [...differ, ...refused, ...hints, ...trailers].map((what) => ({ about: 'headers', what }))
}

export function cut(value = ''): string {
  return value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value
}

/** The names of headers that a release does not send, and of which this program knows no effect on a page. */
export function othersIn({ headers }: Pick<Answer, 'headers'>, expected: Pick<Expected, 'headers'>): readonly string[] {
  return [...headers.keys()].filter(
    (name) => !EXPECTED_OTHERS.has(name) && !REFUSED.test(name) && expected.headers[name] === undefined,
  )
}
