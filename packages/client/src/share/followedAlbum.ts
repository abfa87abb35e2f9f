/**
 * The files of an album that a share follows, and which state of them the share shows. An index is compared by what the
 * server states of the album: nothing is read if nothing has changed. What a new entry opens is vouched for by a device
 * all the same (`shareEntry.ts`).
 */
import { type Bytes, fromHex, uuidBytes } from '@blindkeep/protocol/bytes'
import type { AlbumId } from '@blindkeep/protocol/ids'
import { MAX_SHARE_BLOBS, MAX_SHARE_INDEX_BYTES } from '@blindkeep/protocol/schemas/shares'
import { sha256 } from '@noble/hashes/sha2.js'
import { type AssetFacts, blobOf } from '../assets/assetFacts.ts'
import { encodeShareIndex, MARK_BYTES, type ShareEntry } from './shareIndex.ts'

/** A sealed blob without content has less. */
const SEALING_BYTES = 2048

/** Those that are complete, the newest first: the order of the index. */
export function filesOfAlbum(assets: Iterable<AssetFacts>, albumId: AlbumId): readonly AssetFacts[] {
  const files = [...assets].filter((asset) => asset.albumId === albumId && asset.complete)
  return files.sort((one, other) => compare(other.createdAt, one.createdAt) || compare(one.assetId, other.assetId))
}

/** RFC 3339 in UTC sorts as text. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** 32 bytes, which differ when a file was added, removed, replaced or renamed. Thumbnails do not count. */
export function stateOfAlbum(files: readonly AssetFacts[]): Bytes {
  const hash = sha256.create()
  for (const asset of files.toSorted((one, other) => compare(one.assetId, other.assetId)))
    hash
      .update(uuidBytes(asset.assetId))
      .update(fromHex(hashOf(asset, 'original')))
      .update(fromHex(hashOf(asset, 'metadata')))
  return Uint8Array.from(hash.digest())
}

/** 8 bytes, which differ when the file gets another name. */
export function markOfFile(asset: AssetFacts): Bytes {
  return fromHex(hashOf(asset, 'metadata')).slice(0, MARK_BYTES)
}

/** Empty for what the server does not list. */
const hashOf = (asset: AssetFacts, role: 'original' | 'metadata'): string => blobOf(asset, role)?.hash ?? ''

/** What was shown before has its place first, then what came first: nothing leaves for what comes. */
export function fittingEntries(entries: readonly ShareEntry[], before: readonly ShareEntry[]): readonly ShareEntry[] {
  const shown = new Set(before.map(({ hash }) => hash))
  const ranked = [
    ...entries.filter(({ hash }) => shown.has(hash)),
    ...entries.filter(({ hash }) => !shown.has(hash)).reverse(),
  ]
  const fits = (count: number) =>
    count <= MAX_SHARE_BLOBS && encodeShareIndex(ranked.slice(0, count)).length <= MAX_SHARE_INDEX_BYTES - SEALING_BYTES
  if (fits(ranked.length)) return entries
  let [most, tooMany] = [0, ranked.length]
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2)
    if (fits(middle)) most = middle
    else tooMany = middle
  }
  const chosen = new Set(ranked.slice(0, most))
  return entries.filter((entry) => chosen.has(entry))
}
