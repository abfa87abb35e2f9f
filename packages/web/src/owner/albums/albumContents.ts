/** What an album has, as the server and this page's uploads say now, for `alreadyThere`. */
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import { assetFeedOf, newestByAlbum } from '../assets/assetFeed.ts'
import { hashesOf, showAsset } from '../assets/shownAsset.ts'
import { nameIn, noteName } from '../assets/useFoundAssets.ts'
import type { NameIndex } from '../find/nameIndex.ts'
import { batchesOf } from '../storage/batches.ts'
import type { UploadQueue } from '../uploads/uploadQueue.ts'
import type { AlbumContents } from './alreadyThere.ts'

interface Sources {
  readonly owner: Owner
  readonly names: NameIndex
  readonly queue: Pick<UploadQueue<File>, 'items'>
}

export function contentsOf(album: AlbumId, { owner, names, queue }: Sources): AlbumContents {
  return {
    assets: async () => newestByAlbum(await assetFeedOf(owner).refresh()).get(album) ?? [],
    uploads: () => queue.items().filter((item) => item.albumId === album),
    knownName: (asset) => nameIn(names, asset)?.name,
    describe: async (asset) => {
      const { trust, description } = await showAsset(owner, asset)
      noteName(names, asset, description)
      return trust.kind === 'signed' ? description : undefined
    },
    held: (assets) => heldOf(owner, assets),
  }
}

async function heldOf(owner: Owner, assets: readonly AssetFacts[]): Promise<ReadonlySet<AssetId>> {
  const asked = assets.map((asset) => {
    const hashes = Object.values(hashesOf(asset))
    return { assetId: asset.assetId, hashes, sealedBytes: 0 }
  })
  const held = new Set<AssetId>()
  for (const batch of batchesOf(asked, { isDeep: false }))
    for (const { assetId, durable } of await owner.verifyStorage(batch)) if (durable) held.add(assetId)
  return held
}
