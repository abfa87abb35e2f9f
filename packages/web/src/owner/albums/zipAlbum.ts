/** An album as one ZIP: names are read first, and what would need a question is left out. */
import { NetworkError, ProblemError } from '@blindkeep/client/errors'
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import { type Zip, zipOf } from '@blindkeep/client/zip'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { type ShownAsset, showAsset } from '../assets/shownAsset.ts'
import { NothingToZip } from '../ground/nothingToZip.ts'

/** Each takes two small requests. */
const MAX_NAMES_AT_ONCE = 6

interface ZipAlbum {
  readonly owner: Pick<Owner, 'describeAsset' | 'openAsset'>
  readonly assets: readonly AssetFacts[]
  readonly signal: AbortSignal
}

export interface ZippedAlbum extends Zip {
  /** Files that are not in it. */
  readonly left: number
}

/** Rejects with `NothingToZip` if no file can be opened without a question, and with what says nothing about a file. */
export async function zipAlbum({ owner, assets, signal }: ZipAlbum): Promise<ZippedAlbum> {
  const all = await mapConcurrently(assets, MAX_NAMES_AT_ONCE, (asset) => readable(owner, asset, signal))
  const shown = all.filter((one) => one !== undefined)
  if (shown.length === 0) throw new NothingToZip()
  const zip = await zipOf(
    shown.map(({ asset, description }) => ({
      name: description?.name,
      size: description?.size ?? 0,
      modifiedAt: description?.modifiedAt,
      open: () => owner.openAsset(asset, { signal }),
    })),
  )
  return { ...zip, left: assets.length - shown.length }
}

/** Undefined unless a device that may sign has signed it. */
async function readable(
  owner: ZipAlbum['owner'],
  asset: AssetFacts,
  signal: AbortSignal,
): Promise<ShownAsset | undefined> {
  if (!asset.complete) return undefined
  try {
    const shown = await showAsset(owner, asset, signal)
    return shown.trust.kind === 'signed' ? shown : undefined
  } catch (error) {
    const isOfServer = error instanceof NetworkError || (error instanceof ProblemError && error.status >= 500)
    if (signal.aborted || isOfServer) throw error
    return undefined
  }
}
