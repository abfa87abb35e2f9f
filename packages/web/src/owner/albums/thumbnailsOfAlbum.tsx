/** The owner's click that draws an album: what is grey gets a thumbnail. */
import type { AssetFacts } from '@blindkeep/client/owner'
import { useEffect } from 'preact/hooks'
import { Button, Progress } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { useOwnerPages } from '../context.ts'
import { albumsTexts } from './texts.ts'
import { hasThumbnail } from './thumbnails.ts'
import { useThumbnailWork } from './thumbnailWork.ts'

/** Nothing where every file has its thumbnail, or was tried. */
export function MakeThumbnails({ assets }: { readonly assets: readonly AssetFacts[] }) {
  const text = useText(albumsTexts).thumbnails
  const { now, tried, add } = useThumbnailWork()
  const without = assets.filter((asset) => asset.complete && !hasThumbnail(asset) && !tried.has(asset.assetId))
  if (now !== undefined || without.length === 0) return null
  return (
    <Button kind="quiet" icon="image" onClick={() => add(without.map(({ assetId }) => assetId))}>
      {text.make}
    </Button>
  )
}

/** How far it is, with a way to stop it. */
export function ThumbnailsProgress() {
  const { showMessage } = useOwnerPages()
  const text = useText(albumsTexts).thumbnails
  const { now, stop, onEnd } = useThumbnailWork()
  useEffect(
    () =>
      onEnd(({ made, none, failed }) => {
        if (failed > 0) showMessage({ tone: 'bad', text: text.failed(failed) })
        else if (none > 0) showMessage({ tone: 'info', text: `${text.done(made)} ${text.none(none)}` })
        else showMessage({ tone: 'good', text: text.done(made) })
      }),
    [onEnd, text],
  )
  if (now === undefined) return null
  return (
    <div class="card work stack tight">
      <div class="row apart">
        <p role="status">{text.running(now.finished, now.total)}</p>
        <Button kind="quiet" icon="close" onClick={stop}>
          {text.stop}
        </Button>
      </div>
      <Progress label={text.running(now.finished, now.total)} value={now.finished} max={now.total} />
      <p class="small soft">{text.explain}</p>
    </div>
  )
}
