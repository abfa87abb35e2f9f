import type { Album } from '@blindkeep/client/owner'
import type { Loaded } from '../../common/work/useLoaded.ts'
import { useRefreshed } from '../../common/work/useRefreshed.ts'
import { useLive, useOwnerPages } from '../ground/ownerPages.ts'
import { type AssetMap, assetFeedOf } from './assetFeed.ts'

/** All assets of the account, always current. */
export function useAssets(): Loaded<AssetMap> {
  const { owner } = useOwnerPages()
  const loaded = useRefreshed(() => assetFeedOf(owner).refresh())
  useLive(['asset.changed', 'drop.adopted'], loaded.reload)
  return loaded
}

/** All albums. Another client's appears with its first asset: the server sends no earlier event. */
export function useAlbums(): Loaded<readonly Album[]> {
  const { owner } = useOwnerPages()
  const loaded = useRefreshed(() => owner.albums())
  useLive(['asset.changed', 'drop.adopted', 'album.changed'], loaded.reload)
  return loaded
}
