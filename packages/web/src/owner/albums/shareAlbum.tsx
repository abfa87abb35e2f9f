import type { AssetFacts } from '@blindkeep/client/owner'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { AlbumId } from '@blindkeep/protocol/ids'
import { useState } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { type ConsentedAsset, showAsset } from '../assets/shownAsset.ts'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts } from '../ground/texts.ts'
import { ShareDialog } from '../shares/shareDialog.tsx'
import { useConsent } from './consent.tsx'

/** Each takes two small requests. */
const MAX_AT_ONCE = 6

interface ShareAlbumProps {
  readonly albumId: AlbumId
  readonly assets: readonly AssetFacts[]
}

/** Shares what the album has, but for files that are not finished. */
export function ShareAlbum({ albumId, assets }: ShareAlbumProps) {
  const { owner } = useOwnerPages()
  const text = useText(albumsTexts)
  const errorText = useText(errorTexts)
  const [sharing, setSharing] = useState<readonly ConsentedAsset[]>()
  const consent = useConsent()
  const reading = useAction()
  const begin = () =>
    reading.run(async () => {
      const complete = assets.filter((asset) => asset.complete)
      const shown = await mapConcurrently(complete, MAX_AT_ONCE, (asset) => showAsset(owner, asset))
      const signed = shown.filter(({ trust }) => trust.kind !== 'unsigned')
      if (signed.length > 0) consent.ask('share', signed, setSharing)
    })
  return (
    <>
      <Button kind="quiet" icon="share" busy={reading.isBusy} onClick={() => void begin()}>
        {text.album.share}
      </Button>
      {reading.error !== undefined && <span class="fault">{errorText(reading.error)}</span>}
      {consent.dialog}
      {sharing !== undefined && <ShareDialog assets={sharing} album={albumId} onClose={() => setSharing(undefined)} />}
    </>
  )
}
