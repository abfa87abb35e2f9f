/** All assets of the account. Each refresh asks only for the changes since the last one. */
import type { FeedRolledBack } from '@blindkeep/client/errors'
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { type SeenChange, seenChangeOf } from '../browser/seenByBrowser.ts'

export type AssetMap = ReadonlyMap<AssetId, AssetFacts>

export interface AssetFeed {
  /** The same map when nothing has changed. A call during a refresh causes one more afterwards. */
  refresh(): Promise<AssetMap>
  /** From now on, a list may end where this refused one ends, and not before. */
  acceptRollback(refused: Pick<FeedRolledBack, 'stated'>): Promise<void>
}

export function createAssetFeed({ changes }: Pick<Owner, 'changes'>, stored: SeenChange): AssetFeed {
  let known: AssetMap = new Map()
  let cursor: string | undefined
  let seen: number | undefined
  let running: Promise<AssetMap> | undefined
  let following: Promise<AssetMap> | undefined

  async function readChanges(): Promise<AssetMap> {
    let assets: Map<AssetId, AssetFacts> | undefined
    let position = cursor
    seen ??= await stored.load()
    let last = seen
    for await (const page of changes({ cursor, seen })) {
      if (page.hasStartedOver) assets = new Map()
      for (const { assetId, asset, seq } of page.changes) {
        last = Math.max(last, seq)
        assets ??= new Map(known)
        if (asset === undefined) assets.delete(assetId)
        else assets.set(assetId, asset)
      }
      position = page.cursor
    }
    if (last > seen) await stored.save(last)
    seen = last
    cursor = position
    known = assets ?? known
    return known
  }

  function refresh(): Promise<AssetMap> {
    if (running === undefined) {
      running = readChanges().finally(() => {
        running = undefined
      })
      return running
    }
    following ??= running
      .catch(() => undefined)
      .then(() => {
        following = undefined
        return refresh()
      })
    return following
  }

  return {
    refresh,
    async acceptRollback({ stated }) {
      seen = stated
      await stored.lower(stated)
    },
  }
}

const feeds = new WeakMap<Owner, AssetFeed>()

/** One feed for all pages of the owner. */
export function assetFeedOf(owner: Owner): AssetFeed {
  const feed = feeds.get(owner) ?? createAssetFeed(owner, seenChangeOf(owner))
  feeds.set(owner, feed)
  return feed
}

/** The assets of each album, the newest first. */
export function newestByAlbum(assets: AssetMap): ReadonlyMap<string, readonly AssetFacts[]> {
  const albums = new Map<string, AssetFacts[]>()
  for (const asset of newestFirst([...assets.values()])) {
    const album = albums.get(asset.albumId)
    if (album === undefined) albums.set(asset.albumId, [asset])
    else album.push(asset)
  }
  return albums
}

export function newestFirst(assets: readonly AssetFacts[]): readonly AssetFacts[] {
  return assets.toSorted((a, b) => compare(b.createdAt, a.createdAt) || compare(a.assetId, b.assetId))
}

/** RFC 3339 in UTC sorts as text. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
