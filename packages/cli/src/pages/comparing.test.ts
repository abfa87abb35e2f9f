import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Answer } from './asking.ts'
import { differencesIn, laterDifferences, othersIn } from './comparing.ts'
import type { Expected } from './lists.ts'

const BODY = Buffer.from('page')
const HEADERS = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'" }
const EXPECTED: Expected = {
  path: '/',
  status: 200,
  sha256: createHash('sha256').update(BODY).digest('hex'),
  length: BODY.length,
  headers: HEADERS,
  use: 'document',
}

function answerOf(headers: Readonly<Record<string, string>> = {}, more: Partial<Answer> = {}): Answer {
  const given = Object.entries({ ...HEADERS, ...headers }).map(([name, value]) => [name, [value]] as const)
  const usual = { status: 200, body: BODY, isCut: false, hasHints: false, hasTrailers: false, isAmbiguous: false }
  return { ...usual, headers: new Map(given), ...more }
}
const aboutOf = (answer: Answer) => differencesIn(answer, EXPECTED).map(({ about }) => about)

describe('an answer', () => {
  it('differs by each header that some browser heeds', () => {
    for (const name of [
      ...['link', 'refresh', 'content-location', 'content-disposition', 'content-language', 'default-style'],
      ...['sourcemap', 'x-sourcemap', 'speculation-rules', 'supports-loading-mode', 'no-vary-search'],
      ...['use-as-dictionary', 'x-ua-compatible', 'x-dns-prefetch-control'],
      ...['content-security-policy-report-only', 'x-content-security-policy', 'x-webkit-csp', 'allow-csp-from'],
      ...['access-control-allow-origin', 'cross-origin-embedder-policy', 'cross-origin-opener-policy-report-only'],
      ...['origin-agent-cluster', 'origin-trial', 'permissions-policy', 'permissions-policy-report-only'],
      ...['feature-policy', 'referrer-policy', 'document-policy', 'document-isolation-policy', 'integrity-policy'],
      ...['service-worker-allowed', 'timing-allow-origin', 'set-cookie', 'set-cookie2', 'set-login'],
      ...['sec-session-registration', 'secure-session-registration', 'activate-storage-access'],
      ...['shared-storage-write', 'clear-site-data', 'www-authenticate', 'report-to', 'reporting-endpoints', 'nel'],
      ...['expect-ct', 'public-key-pins', 'accept-ch', 'critical-ch', 'attribution-reporting-register-source'],
      ...['ad-auction-signals', 'observe-browsing-topics', 'connection-allowlist'],
    ]) {
      assert.deepEqual(aboutOf(answerOf({ [name]: 'x' })), ['headers'], name)
      assert.deepEqual(othersIn(answerOf({ [name]: 'x' }), EXPECTED), [], name)
    }
    assert.deepEqual(aboutOf(answerOf({ 'x-cache': 'x', 'strict-transport-security': 'x' })), [])
    assert.deepEqual(othersIn(answerOf({ 'x-cache': 'x', 'strict-transport-security': 'x' }), EXPECTED), ['x-cache'])
  })

  it('differs if something comes before or behind it, or if its bytes depend on who reads them', () => {
    assert.deepEqual(aboutOf(answerOf({}, { hasHints: true })), ['headers'])
    assert.deepEqual(aboutOf(answerOf({}, { hasTrailers: true })), ['headers'])
    assert.deepEqual(aboutOf(answerOf({}, { isAmbiguous: true })), ['page'])
  })

  it('to a browser that has the page may be 304, which replaces the headers that it kept by those that it has', () => {
    const later = (headers: Readonly<Record<string, string>>, more: Partial<Answer> = {}) =>
      laterDifferences(answerOf(headers, { status: 304, body: Buffer.alloc(0), ...more }), EXPECTED).map(
        ({ about }) => about,
      )
    assert.deepEqual(later({}), [])
    assert.deepEqual(later({}, { headers: new Map() }), [])
    assert.deepEqual(later({ 'content-security-policy': 'script-src *' }), ['headers'])
    assert.deepEqual(later({ refresh: '0' }), ['headers'])
    assert.deepEqual(later({}, { status: 200, body: BODY }), [])
    assert.deepEqual(later({}, { status: 200, body: Buffer.from('evil') }), ['page'])
    assert.deepEqual(later({}, { status: 302 }), ['page'])
  })
})
