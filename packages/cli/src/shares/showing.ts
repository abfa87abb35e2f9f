/** Which shares show files of the account now. */
import type { AssetFacts, OwnShare } from '@blindkeep/client/owner'
import type { SignedIn } from '../account/session.ts'
import { chosenAlbum, chosenAssets } from '../assets/chosen.ts'
import { accountAssets } from '../changes/feed.ts'
import { originalsOf } from '../changes/losing.ts'

export interface ShowingFlags {
  readonly file?: string
  readonly album?: string
}

/** Oldest first, as the whole list. */
export async function sharesShowing(
  session: SignedIn,
  { file, album }: ShowingFlags,
  signal: AbortSignal,
): Promise<readonly OwnShare[]> {
  const { owner } = session
  if (file === undefined && album === undefined) return await owner.listShares({ signal })
  const assets: AssetFacts[] = []
  if (file !== undefined) assets.push(...(await chosenAssets(session, [file], { signal })).map(({ asset }) => asset))
  if (album !== undefined) {
    const { albumId } = chosenAlbum(await owner.albums(), album)
    assets.push(...(await accountAssets(session, signal)).filter((asset) => asset.albumId === albumId))
  }
  const showing = await owner.showingShares(originalsOf(assets), { signal })
  return showing.map(({ share }) => share).toReversed()
}
