/** The account's assets as the server lists them. Whether the list is true, the check finds out. */
import type { AssetFacts } from '@blindkeep/client/owner'
import { BUNDLE_ROLES } from '@blindkeep/client/verify'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { AssetFeed } from '../albums/assetFeed.ts'

export interface CatalogEntry {
  readonly assetId: AssetId
  readonly facts: AssetFacts
  /** Bytes that a deep check of it reads. */
  readonly sealedBytes: number
}

/** All assets, newest first. Throws what a call throws. */
export async function readCatalog({ refresh }: AssetFeed): Promise<readonly CatalogEntry[]> {
  const assets = await refresh()
  return [...assets.values()].map(entryOf).sort((a, b) => b.facts.createdAt.localeCompare(a.facts.createdAt))
}

function entryOf(facts: AssetFacts): CatalogEntry {
  const bundleRoles: readonly string[] = BUNDLE_ROLES
  const sealedBytes = facts.blobs.reduce((sum, { role, size }) => (bundleRoles.includes(role) ? sum + size : sum), 0)
  return { assetId: facts.assetId, facts, sealedBytes }
}
