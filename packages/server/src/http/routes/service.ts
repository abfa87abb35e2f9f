/** Probes, and documents about the server. */
import { openapiDocument } from '@blindkeep/protocol/openapi'
import { openapi31Document } from '@blindkeep/protocol/openapi31'
import { PROBLEMS } from '@blindkeep/protocol/problems'
import type { SiteResponse } from '@blindkeep/protocol/schemas/discovery'
import type { Routes } from '../call.ts'
import { problemPage } from '../problemPage.ts'
import { type Document, documentOf } from '../wire/document.ts'

type DocumentOf = typeof openapiDocument
type Row = 'version' | 'site' | 'openapi' | 'openapi31' | 'healthz' | 'readyz' | 'problemPage'

const DAY = 'public, max-age=86400'

export interface ServiceSettings {
  /** Without a slash at the end. */
  readonly publicUrl: string
  /** What the operator says about itself. Addresses begin with https. */
  readonly siteName?: string | undefined
  readonly siteImprintUrl?: string | undefined
  readonly sitePrivacyUrl?: string | undefined
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
  settings: ServiceSettings,
): Pick<Routes, Row> {
  const { publicUrl } = settings
  const site = siteDocumentOf(settings)
  // Made for the first client that asks, not at every start.
  const documents = new Map<DocumentOf, Document>()
  const describe = (make: DocumentOf) => {
    const document = documents.get(make) ?? documentOf(JSON.stringify(make(version, publicUrl)))
    documents.set(make, document)
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' }
    return { status: 200, document, headers } as const
  }
  return {
    version: async () => ({ status: 200, body: { name: 'blindkeep', version } }),
    site: async () => ({ status: 200, body: site, headers: { 'Cache-Control': 'public, max-age=300' } }),
    openapi: async () => describe(openapiDocument),
    openapi31: async () => describe(openapi31Document),
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

function siteDocumentOf({ siteName, siteImprintUrl, sitePrivacyUrl }: ServiceSettings): SiteResponse {
  return {
    ...(siteName !== undefined && { name: siteName }),
    ...(siteImprintUrl !== undefined && { imprint_url: siteImprintUrl }),
    ...(sitePrivacyUrl !== undefined && { privacy_url: sitePrivacyUrl }),
  }
}
