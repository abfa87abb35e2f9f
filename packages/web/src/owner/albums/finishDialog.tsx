/** Shows unfinished files as this browser opens them. Finishing one signs exactly what is shown of it. */
import type { AssetFacts, IncompleteAsset, Owner } from '@blindkeep/client/owner'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useState } from 'preact/hooks'
import { Dialog, Notice, Progress } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { albumName } from '../assets/assetNames.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts } from '../ground/texts.ts'
import { IncompleteFile } from './incompleteFile.tsx'

/** The others follow when these are finished. */
const MAX_SHOWN = 10
/** Each file needs two small requests. */
const MAX_AT_ONCE = 3

interface FinishDialogProps {
  readonly assets: readonly AssetFacts[]
  readonly onClose: () => void
}

interface Opening {
  readonly assetId: AssetId
  /** Undefined when it does not open; then there is an error. */
  readonly incomplete: IncompleteAsset | undefined
  readonly error: unknown
}

export function FinishDialog({ assets, onClose }: FinishDialogProps) {
  const { owner } = useOwnerPages()
  const text = useText(albumsTexts)
  // Chosen once: what the owner is looking at does not change when the album does.
  const [shown] = useState(() => assets.slice(0, MAX_SHOWN))
  const { value, error, reload } = useLoaded(async (signal) => {
    const [albums, files] = await Promise.all([
      owner.albums(),
      mapConcurrently(shown, MAX_AT_ONCE, (asset) => open(owner, asset, signal)),
    ])
    const names = new Map(albums.map((album) => [album.albumId, albumName(album, text)]))
    return { files, albumOf: ({ albumId }: IncompleteAsset) => names.get(albumId) ?? text.untitled }
  })
  const later = assets.length - shown.length
  return (
    <Dialog title={text.incomplete.title} closeLabel={text.close} onClose={onClose}>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Progress label={text.incomplete.opening} />}
      {later > 0 && <p class="soft">{text.incomplete.later(later)}</p>}
      {value !== undefined && <Files {...value} onClose={onClose} />}
    </Dialog>
  )
}

async function open(owner: Owner, asset: AssetFacts, signal: AbortSignal): Promise<Opening> {
  const { assetId } = asset
  try {
    return { assetId, incomplete: await owner.openIncomplete(asset, { signal }), error: undefined }
  } catch (error) {
    if (signal.aborted) throw error
    return { assetId, incomplete: undefined, error }
  }
}

interface FilesProps {
  readonly files: readonly Opening[]
  readonly albumOf: (incomplete: IncompleteAsset) => string
  readonly onClose: () => void
}

/** Each file has its own button, so that no file is signed that is out of sight. */
function Files({ files, albumOf, onClose }: FilesProps) {
  const { showMessage } = useOwnerPages()
  const text = useText(albumsTexts).incomplete
  const errorText = useText(errorTexts)
  const [done, setDone] = useState<ReadonlySet<AssetId>>(new Set())
  const left = files.filter(({ assetId }) => !done.has(assetId))
  const onFinished = (assetId: AssetId) => {
    showMessage({ tone: 'good', text: text.done })
    if (left.length === 1) onClose()
    else setDone((last) => new Set([...last, assetId]))
  }
  return (
    <>
      <p class="small soft">{text.about}</p>
      <ul class="finish-files stack">
        {left.map(({ assetId, incomplete, error }) => (
          <li key={assetId} class="stack tight">
            {incomplete === undefined ? (
              <Notice tone="bad">
                <p>
                  {text.unreadable} {errorText(error)}
                </p>
              </Notice>
            ) : (
              <IncompleteFile
                incomplete={incomplete}
                album={albumOf(incomplete)}
                onFinished={() => onFinished(assetId)}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
