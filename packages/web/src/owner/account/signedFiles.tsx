/** The files that a device signed before it was revoked, for the owner to look at. */
import type { AssetFacts, ListedDevice, SignedLately } from '@blindkeep/client/owner'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Name, Notice, Progress } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { visibleName } from '../../common/names/visibleName.ts'
import { useTile } from '../assets/useTile.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts, albumsTexts } from '../ground/texts.ts'

type Search =
  | { readonly stage: 'running'; readonly checked: number; readonly total: number | undefined }
  | { readonly stage: 'stopped' }
  | { readonly stage: 'failed'; readonly error: unknown }
  | { readonly stage: 'done'; readonly found: SignedLately }

export function SignedFiles({ device }: { readonly device: ListedDevice }) {
  const text = useText(accountTexts).devices.lately
  const { search, start, stop } = useSearch(device)
  switch (search.stage) {
    case 'running':
      return (
        <div class="stack tight">
          <p role="status">{text.checking}</p>
          <Progress label={text.checking} value={search.total && search.checked} max={search.total} />
          <div>
            <Button kind="quiet" onClick={stop}>
              {text.stop}
            </Button>
          </div>
        </div>
      )
    case 'stopped':
      return (
        <div>
          <Button icon="retry" onClick={start}>
            {text.again}
          </Button>
        </div>
      )
    case 'failed':
      return <ErrorNotice error={search.error} onRetry={start} />
    case 'done':
      return <Found found={search.found} />
  }
}

/** Starts at once. Ends when the component leaves the page. */
function useSearch({ deviceId }: ListedDevice) {
  const { owner } = useOwnerPages()
  const [search, setSearch] = useState<Search>({ stage: 'running', checked: 0, total: undefined })
  const running = useRef(new AbortController())
  const start = () => {
    running.current.abort()
    const stopped = new AbortController()
    running.current = stopped
    const { signal } = stopped
    const showIfRunning = (next: Search) => signal.aborted || setSearch(next)
    showIfRunning({ stage: 'running', checked: 0, total: undefined })
    const onProgress = ({ checked, total }: { readonly checked: number; readonly total: number }) =>
      void showIfRunning({ stage: 'running', checked, total })
    owner.signedLately(deviceId, { signal, onProgress }).then(
      (found) => showIfRunning({ stage: 'done', found }),
      (error: unknown) => showIfRunning({ stage: 'failed', error }),
    )
  }
  const stop = () => {
    running.current.abort()
    setSearch({ stage: 'stopped' })
  }
  useEffect(() => {
    start()
    return () => running.current.abort()
  }, [deviceId])
  return { search, start, stop }
}

function Found({ found: { signed, unverified } }: { readonly found: SignedLately }) {
  const text = useText(accountTexts).devices.lately
  return (
    <>
      {signed.length === 0 ? (
        <p role="status">{text.none}</p>
      ) : (
        <>
          <p role="status">{text.found(signed.length)}</p>
          <FileList files={signed.map(({ asset, signedAt }) => ({ asset, signedAt }))} />
        </>
      )}
      {unverified.length > 0 && (
        <>
          <Notice tone="warn">{text.unverified(unverified.length)}</Notice>
          <FileList files={unverified.map((asset) => ({ asset, signedAt: undefined }))} />
        </>
      )}
    </>
  )
}

interface ListedFile {
  readonly asset: AssetFacts
  readonly signedAt: string | undefined
}

const SHOWN_AT_ONCE = 20

function FileList({ files }: { readonly files: readonly ListedFile[] }) {
  const text = useText(accountTexts).devices.lately
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  return (
    <>
      <ul class="account-list">
        {files.slice(0, shown).map((file) => (
          <FileRow key={file.asset.assetId} {...file} />
        ))}
      </ul>
      {files.length > shown && (
        <div>
          <Button onClick={() => setShown(shown + SHOWN_AT_ONCE)}>{text.more(files.length - shown)}</Button>
        </div>
      )}
    </>
  )
}

function FileRow({ asset, signedAt }: ListedFile) {
  const text = useText(accountTexts).devices.lately
  const { opening, unreadable, unnamed } = useText(albumsTexts).album
  const format = useText(formats)
  const content = useTile(asset, true)
  const shown = content?.shown
  const name = visibleName(shown?.description?.name)
  return (
    <li class="stack tight">
      <a href={`#/albums/${asset.albumId}/${asset.assetId}`}>
        {name !== undefined ? (
          <Name>{name}</Name>
        ) : content === undefined ? (
          opening
        ) : shown?.description === undefined ? (
          unreadable
        ) : (
          unnamed
        )}
      </a>
      <span class="soft small">
        {signedAt !== undefined && `${text.signedAt(format.instant(signedAt))} · `}
        {text.arrivedAt(format.instant(asset.changedAt))}
      </span>
    </li>
  )
}
