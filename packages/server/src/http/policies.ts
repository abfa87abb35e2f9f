/**
 * The Content-Security-Policy of every answer, whatever its status, by the beginning of its path: this one rule can be
 * declared, and then compared by others (decisions/pages.md). What has no prefix of its own has the page's policy. Only
 * the page that leads on from a former name has another one (`movedPage.ts`).
 */
import { createHash } from 'node:crypto'
import { operations } from '@blindkeep/protocol/operations'
import { DATA_POLICY, PAGE_POLICY, PAGE_ROUTES, PREVIEW, previewPolicyOf } from '@blindkeep/protocol/pages'
import type { Pages } from '../ports/pages.ts'
import { PROBLEM_STYLE } from './problemPage.ts'

const PROBLEM_POLICY = `default-src 'none'; style-src 'sha256-${sha256Base64(PROBLEM_STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`

/** The first prefix that a path begins with has its policy. The last one is empty. */
export type Policies = readonly (readonly [prefix: string, policy: string])[]

export function policiesOf(pages: Pages): Policies {
  const ofPreview = previewPolicyOf(Buffer.from(pages.get(PREVIEW)?.bytes ?? []).toString(), sha256Base64)
  const ofFolders = PAGE_ROUTES.filter(({ path }) => path.endsWith('/*')).map(
    ({ path, headers }) => [path.slice(0, -1), headers['Content-Security-Policy'] ?? ofPreview] as const,
  )
  return [
    ...ofFolders,
    ['/problems/', PROBLEM_POLICY],
    ...dataPrefixes().map((prefix) => [prefix, DATA_POLICY] as const),
    ['', PAGE_POLICY],
  ]
}

/** @param path a route's pattern, or the target of a request */
export function policyAt(policies: Policies, path: string): string {
  const own = path.replace(/^https?:\/\/[^/?#]*/i, '')
  const [, policy = DATA_POLICY] = policies.find(([prefix]) => own.startsWith(prefix)) ?? []
  return policy
}

/** `/v1/`, `/healthz` and so on: where the operations are. */
function dataPrefixes(): readonly string[] {
  const prefixes = Object.values(operations).map(({ path }) => path.replace(/^(\/[^/]+\/).*/, '$1'))
  return [...new Set(prefixes)].filter((prefix) => prefix !== '/problems/')
}

function sha256Base64(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
