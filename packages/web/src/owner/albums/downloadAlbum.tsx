import type { AssetFacts } from '@blindkeep/client/owner'
import { MAX_ZIP_FILES } from '@blindkeep/client/zip'
import { Button, Progress } from '../../common/controls/controls.tsx'
import { useSaving } from '../../common/files/useSaving.ts'
import { useText } from '../../common/language/reader.ts'
import { useCloseGuard } from '../../common/work/closeGuard.ts'
import { errorTexts } from '../ground/errorText.ts'
import { NothingToZip } from '../ground/nothingToZip.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts } from '../ground/texts.ts'
import { useSaveMany } from '../work/saveMany.tsx'
import { assetOfMany } from './useAssetSaving.ts'
import { zipAlbum } from './zipAlbum.ts'

interface DownloadAlbumProps {
  readonly name: string
  readonly assets: readonly AssetFacts[]
}

/** The whole album, into a folder or as one ZIP. The ZIP ends with the page, which asks before it closes. */
export function DownloadAlbum({ name, assets }: DownloadAlbumProps) {
  const { owner, showMessage } = useOwnerPages()
  const albumsText = useText(albumsTexts)
  const text = albumsText.saving
  const errorText = useText(errorTexts)
  const { now, save, stop } = useSaving()
  const many = useSaveMany()
  useCloseGuard(now !== undefined)
  const tell = (tone: 'good' | 'bad', words: string) => showMessage({ tone, text: words })

  function zip(): void {
    if (assets.length > MAX_ZIP_FILES) {
      tell('bad', text.albumTooMany(MAX_ZIP_FILES))
      return
    }
    let left = 0
    const open = async (signal: AbortSignal) => {
      const zipped = await zipAlbum({ owner, assets, signal })
      left = zipped.left
      return zipped
    }
    save([{ name: `${name}.zip`, open }]).then(
      (saved) => {
        if (saved === 0) return
        tell('good', text.albumDone(assets.length - left))
        if (left > 0) tell('bad', text.albumLeft(left))
      },
      (error: unknown) => tell('bad', error instanceof NothingToZip ? text.albumNone : errorText(error)),
    )
  }

  if (now === undefined)
    return (
      <>
        <Button
          kind="quiet"
          icon="download"
          onClick={() =>
            many.ask(
              assets.map((asset) => assetOfMany(owner, asset)),
              zip,
            )
          }
        >
          {text.album}
        </Button>
        {many.dialog}
      </>
    )
  return (
    <div class="row selection-saving">
      <Progress label={text.progress(now.name)} value={now.share} />
      <Button kind="quiet" onClick={stop}>
        {text.stop}
      </Button>
    </div>
  )
}
