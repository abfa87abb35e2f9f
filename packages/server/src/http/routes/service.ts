/** Probes, and documents about the server. */
import { openapiDocument } from '@blindkeep/protocol/openapi'
import { PROBLEMS } from '@blindkeep/protocol/problems'
import type { Routes } from '../call.ts'
import { problemPage } from '../problemPage.ts'

type Row = 'version' | 'openapi' | 'healthz' | 'readyz' | 'problemPage'

const DAY = 'public, max-age=86400'

export interface ServiceSettings {
  /** Without a slash at the end. */
  readonly publicUrl: string
}

export interface ServicePorts {
  readonly version: string
  /** Why it is not ready: each a word, or a sentence for the operator. Neither this nor `warnings` asks anything. */
  readonly unreadiness: () => readonly string[]
  /** What the operator has to look at: words. */
  readonly warnings: () => readonly string[]
}

export function serviceRoutes(
  { version, unreadiness, warnings }: ServicePorts,
  { publicUrl }: ServiceSettings,
): Pick<Routes, Row> {
  // Made for the first client that asks, not at every start.
  let document: string | undefined
  return {
    version: async () => ({ status: 200, body: { name: 'blindkeep', version } }),
    async openapi() {
      document ??= JSON.stringify(openapiDocument(version, publicUrl))
      return {
        status: 200,
        text: document,
        headers: { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' },
      }
    },
    healthz: async () => ({ status: 200, body: { status: 'ok' } }),
    async readyz() {
      const [failing, words] = [[...unreadiness()], [...warnings()]]
      return failing.length === 0
        ? { status: 200, body: { status: 'ok', ...(words.length > 0 && { warnings: words }) } }
        : { status: 503, body: { status: 'failing', failing } }
    },
    problemPage: async ({ params }) => ({
      status: 200,
      text: problemPage(params.code, PROBLEMS[params.code]),
      headers: { 'Cache-Control': DAY },
    }),
  }
}
