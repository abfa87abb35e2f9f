/** The account's assets as the server lists them. Whether the list is true, the check finds out. */
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import { BUNDLE_ROLES } from '@blindkeep/client/verify'
import type { AssetId } from '@blindkeep/protocol/ids'
import { type AssetFeed, assetFeedOf } from '../assets/assetFeed.ts'

export interface CatalogEntry {
  readonly assetId: AssetId
  readonly facts: AssetFacts
  /** Bytes that a deep check of it reads. */
  readonly sealedBytes: number
}

/** What the account has: assets in albums, and whether anything is in the inbox. */
export interface Catalog {
  readonly entries: readonly CatalogEntry[]
  readonly hasInbox: boolean
}

/** Throws what a call throws. */
export async function wholeCatalog(owner: Owner): Promise<Catalog> {
  const [entries, firstPage] = await Promise.all([
    readCatalog(assetFeedOf(owner)),
    owner.pendingDrops({ order: 'newest' }).next(),
  ])
  return { entries, hasInbox: firstPage.value !== undefined && firstPage.value.length > 0 }
}

/** All assets, newest first. Throws what a call throws. */
export async function readCatalog({ refresh }: Pick<AssetFeed, 'refresh'>): Promise<readonly CatalogEntry[]> {
  const assets = await refresh()
  return [...assets.values()].map(entryOf).sort((a, b) => b.facts.createdAt.localeCompare(a.facts.createdAt))
}

function entryOf(facts: AssetFacts): CatalogEntry {
  const bundleRoles: readonly string[] = BUNDLE_ROLES
  const sealedBytes = facts.blobs.reduce((sum, { role, size }) => (bundleRoles.includes(role) ? sum + size : sum), 0)
  return { assetId: facts.assetId, facts, sealedBytes }
}
