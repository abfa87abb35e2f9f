/** Probes, and documents about the server. */
import { openapiDocument } from '@blindkeep/protocol/openapi'
import { openapi31Document } from '@blindkeep/protocol/openapi31'
import { PROBLEMS } from '@blindkeep/protocol/problems'
import type { ConditionWatch } from '../../conditionWatch.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Store } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { problemPage } from '../problemPage.ts'

type DocumentOf = typeof openapiDocument
type Row = 'version' | 'openapi' | 'openapi31' | 'healthz' | 'readyz' | 'problemPage'

const DAY = 'public, max-age=86400'

export interface ServiceSettings {
  /** Without a slash at the end. */
  readonly publicUrl: string
  readonly freeSpaceFloorBytes: number
}

interface ServicePorts {
  readonly store: Store
  readonly objects: Objects
  readonly version: string
  /** Why it is not ready, beyond its database and its bytes: each a word, or a sentence for the operator. */
  readonly unreadiness: () => readonly string[]
  /** What the operator has to look at, beyond the room on the disk. */
  readonly conditions: Pick<ConditionWatch, 'words'>
}

export function serviceRoutes(
  { store, objects, version, unreadiness, conditions }: ServicePorts,
  { publicUrl, freeSpaceFloorBytes }: ServiceSettings,
): Pick<Routes, Row> {
  // Made for the first client that asks, not at every start.
  const documents = new Map<DocumentOf, string>()
  const describe = (make: DocumentOf) => {
    const text = documents.get(make) ?? JSON.stringify(make(version, publicUrl))
    documents.set(make, text)
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' }
    return { status: 200, text, headers } as const
  }
  const answers = async (probe: () => Promise<unknown>): Promise<boolean> =>
    probe().then(
      () => true,
      () => false,
    )
  return {
    version: async () => ({ status: 200, body: { name: 'blindkeep', version } }),
    openapi: async () => describe(openapiDocument),
    openapi31: async () => describe(openapi31Document),
    healthz: async () => ({ status: 200, body: { status: 'ok' } }),
    async readyz() {
      const freeBytes = await objects.check().catch(() => undefined)
      const failing = [
        ...unreadiness(),
        ...((await answers(() => store.read((tx) => tx.receipts.head()))) ? [] : ['store']),
        ...(freeBytes === undefined ? ['blobs'] : []),
      ]
      // Not 503: a load balancer would take away reading and deleting too (decisions/full-disk.md).
      const isLow = freeBytes !== undefined && freeBytes < freeSpaceFloorBytes
      const warnings = [...(isLow ? ['disk_below_floor'] : []), ...conditions.words()]
      return failing.length === 0
        ? { status: 200, body: { status: 'ok', ...(warnings.length > 0 && { warnings }) } }
        : { status: 503, body: { status: 'failing', failing } }
    },
    problemPage: async ({ params }) => ({
      status: 200,
      text: problemPage(params.code, PROBLEMS[params.code]),
      headers: { 'Cache-Control': DAY },
    }),
  }
}
