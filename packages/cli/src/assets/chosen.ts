/** What a person means by an album, and by an asset. */
import type { Album, AssetFacts } from '@blindkeep/client/owner'
import { parseAssetId } from '@blindkeep/protocol/ids'
import type { SignedIn } from '../account/session.ts'
import { pick } from '../ground/pick.ts'
import { type DescribedAsset, describeAssets } from './described.ts'
import { accountAssets } from './feed.ts'

export function chosenAlbum(albums: readonly Album[], given: string): Album {
  return pick(albums, given, {
    what: 'album',
    listedBy: 'album list, or blindkeep album create',
    id: ({ albumId }) => albumId,
    name: ({ name }) => name,
  })
}

/**
 * Each once, in order. Whole ids are asked for alone; names and beginnings need the whole list. `isLast`: what a name
 * means only where it means nothing else.
 */
export async function chosenAssets(
  session: SignedIn,
  given: readonly string[],
  signal: AbortSignal,
  isLast: (one: DescribedAsset) => boolean = () => false,
): Promise<readonly DescribedAsset[]> {
  const ids = given.map((text) => parseAssetId(text.toLowerCase()))
  if (ids.every((id) => id !== undefined)) {
    const assets: AssetFacts[] = []
    for (const id of new Set(ids)) assets.push(await session.owner.asset(id))
    return await describeAssets(session, assets, { signal })
  }
  const all = await accountAssets(session, signal)
  const described = await describeAssets(session, all, { all, signal })
  const first = described.filter((one) => !isLast(one))
  const chosen = given.map((text) =>
    pick(first.some(({ file }) => file?.name === text) ? first : described, text, {
      what: 'file',
      listedBy: 'ls',
      id: ({ asset }) => asset.assetId,
      name: ({ file }) => file?.name,
    }),
  )
  return [...new Set(chosen)]
}

/** How messages name an asset. */
export function titleOf({ asset, file }: DescribedAsset): string {
  return file?.name ?? asset.assetId
}
