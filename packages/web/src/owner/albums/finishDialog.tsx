/** Shows unfinished files as this browser opens them. Finishing signs exactly the files that are shown. */
import type { AssetFacts, IncompleteAsset, Owner } from '@blindkeep/client/owner'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useState } from 'preact/hooks'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { Button, Dialog, Notice, Progress } from '../../common/controls.tsx'
import { useLoaded } from '../../common/useLoaded.ts'
import { useOwnerPages } from '../context.ts'
import { useDevice } from '../device.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorText } from '../errorText.ts'
import { useAction } from '../useAction.ts'
import { IncompleteFile } from './incompleteFile.tsx'
import { albumName, albumsText } from './texts.ts'

/** More files would push the first ones out of sight before they are signed. */
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
  const { owner, language } = useOwnerPages()
  const text = albumsText(language)
  // Chosen once: what the owner is looking at does not change when the album does.
  const [shown] = useState(() => assets.slice(0, MAX_SHOWN))
  const { value, error, reload } = useLoaded(async (signal) => {
    const [albums, files] = await Promise.all([
      owner.albums(),
      mapConcurrently(shown, MAX_AT_ONCE, (asset) => open(owner, asset, signal)),
    ])
    const names = new Map(albums.map((album) => [album.albumId, albumName(album, language)]))
    return { files, albumOf: ({ albumId }: IncompleteAsset) => names.get(albumId) ?? text.untitled }
  })
  const later = assets.length - shown.length
  return (
    <Dialog wide title={text.incomplete.title(shown.length)} closeLabel={text.close} onClose={onClose}>
      {error !== undefined && <ErrorNotice error={error} language={language} onRetry={reload} />}
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

function Files({ files, albumOf, onClose }: FilesProps) {
  const { language } = useOwnerPages()
  const text = albumsText(language)
  const { done, failures, isBusy, error, finish } = useFinishing()
  const left = files.filter(({ assetId }) => !done.has(assetId))
  const openable = left.flatMap(({ incomplete }) => incomplete ?? [])
  return (
    <>
      <ul class="finish-files stack">
        {left.map(({ assetId, incomplete, error: fault }) => (
          <li key={assetId} class="stack tight">
            {incomplete === undefined ? (
              <Notice tone="bad">
                <p>
                  {text.incomplete.unreadable} {errorText(fault, language)}
                </p>
              </Notice>
            ) : (
              <IncompleteFile incomplete={incomplete} album={albumOf(incomplete)} language={language} />
            )}
            {failures.has(assetId) && <Notice tone="bad">{errorText(failures.get(assetId), language)}</Notice>}
          </li>
        ))}
      </ul>
      {openable.length > 0 && <p class="small soft">{text.incomplete.about}</p>}
      {error !== undefined && <ErrorNotice error={error} language={language} />}
      <div class="row end">
        <Button onClick={onClose}>{text.cancel}</Button>
        {openable.length > 0 && (
          <Button
            kind="primary"
            busy={isBusy}
            onClick={() => void finish(openable).then((isAll) => isAll && openable.length === left.length && onClose())}
          >
            {isBusy ? text.incomplete.finishing : text.incomplete.finish(openable.length)}
          </Button>
        )}
      </div>
    </>
  )
}

/** A failure of one file does not stop the others. */
function useFinishing() {
  const { language, showMessage } = useOwnerPages()
  const device = useDevice()
  const [done, setDone] = useState<ReadonlySet<AssetId>>(new Set())
  const [failures, setFailures] = useState<ReadonlyMap<AssetId, unknown>>(new Map())
  const { isBusy, error, run } = useAction()
  useCloseGuard(isBusy)

  /** Resolves with whether all of them are finished. */
  async function finish(files: readonly IncompleteAsset[]): Promise<boolean> {
    const failed = new Map<AssetId, unknown>()
    const finished: AssetId[] = []
    setFailures(failed)
    await run(async () => {
      const signer = await device()
      for (const file of files)
        await file.complete({ device: signer }).then(
          ({ assetId }) => finished.push(assetId),
          (reason: unknown) => failed.set(file.assetId, reason),
        )
    })
    setDone((last) => new Set([...last, ...finished]))
    setFailures(failed)
    const text = albumsText(language).incomplete
    if (finished.length > 0) showMessage({ tone: 'good', text: text.done(finished.length) })
    return finished.length === files.length
  }

  return { done, failures, isBusy, error, finish }
}
