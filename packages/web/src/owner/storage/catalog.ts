/** The account's assets as the server tells of them: whom to ask about. What is true of them, the check finds out. */
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import { BUNDLE_ROLES } from '@blindkeep/client/sendBundle'
import type { AssetId } from '@blindkeep/protocol/ids'

export interface CatalogEntry {
  readonly assetId: AssetId
  readonly facts: AssetFacts
  /** What a deep check of it reads. */
  readonly sealedBytes: number
}

export interface Catalog {
  /** Everything that is there now, newest first. Reads what has changed since the last time. Throws what a call throws. */
  read(signal?: AbortSignal): Promise<readonly CatalogEntry[]>
}

const catalogs = new WeakMap<Owner, Catalog>()

/** One for each that is signed in, so that it is read once for all of the page, and forgotten with them. */
export function catalogOf(owner: Owner): Catalog {
  const known = catalogs.get(owner)
  if (known !== undefined) return known
  const made = createCatalog(owner)
  catalogs.set(owner, made)
  return made
}

export function createCatalog(owner: Pick<Owner, 'changes'>): Catalog {
  let cursor: string | undefined
  let assets = new Map<AssetId, AssetFacts>()
  return {
    async read(signal) {
      // Worked in when all of it is there, so that a read that fails half-way leaves nothing behind.
      const fresh = new Map(assets)
      let last = cursor
      for await (const page of owner.changes({ cursor, signal })) {
        if (page.hasStartedOver) fresh.clear()
        for (const { assetId, asset } of page.changes)
          if (asset === undefined) fresh.delete(assetId)
          else fresh.set(assetId, asset)
        last = page.cursor
      }
      assets = fresh
      cursor = last
      return [...fresh.values()].map(entryOf).sort((a, b) => b.facts.createdAt.localeCompare(a.facts.createdAt))
    },
  }
}

function entryOf(facts: AssetFacts): CatalogEntry {
  const own: readonly string[] = BUNDLE_ROLES
  const sealedBytes = facts.blobs.reduce((sum, { role, size }) => (own.includes(role) ? sum + size : sum), 0)
  return { assetId: facts.assetId, facts, sealedBytes }
}
