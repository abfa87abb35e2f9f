/** The owner's click that draws an album: what is grey gets a thumbnail. */
import type { AssetFacts } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { Button } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { getsNoThumbnail, hasThumbnail } from '../assets/thumbnails.ts'
import { albumsTexts } from '../ground/texts.ts'
import { useWork } from '../work/work.ts'
import type { WorkItem, WorkOrder } from '../work/workOrder.ts'

export function thumbnailOrder(assetIds: readonly AssetId[]): WorkOrder {
  const items = assetIds.map((assetId): WorkItem => ({ do: 'thumbnail', id: `thumbnail ${assetId}`, assetId }))
  return { kind: 'thumbnail', items }
}

/** Nothing where every file has its thumbnail, was tried, or waits for its turn. */
export function MakeThumbnails({ assets }: { readonly assets: readonly AssetFacts[] }) {
  const text = useText(albumsTexts).thumbnails
  const work = useWork()
  const without = assets.filter((asset) => asset.complete && !hasThumbnail(asset) && !getsNoThumbnail(asset.assetId))
  const { items, ...order } = thumbnailOrder(without.map(({ assetId }) => assetId))
  const left = items.filter(({ id }) => !work.isBusy(id))
  if (left.length === 0) return null
  return (
    <Button kind="quiet" icon="image" onClick={() => work.begin({ ...order, items: left })}>
      {text.make}
    </Button>
  )
}
