import type { Album, AssetFacts } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { Button, Dialog, Notice, Progress } from '../../common/controls.tsx'
import { formats } from '../../common/format.ts'
import { useText } from '../../common/reader.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorTexts } from '../errorText.ts'
import { NamedFew } from '../namedFew.tsx'
import { goTo } from '../route.ts'
import { useAction } from '../useAction.ts'
import { deleteEach, type NotDeleted } from './deleteEach.ts'
import { AssetName } from './removeDialog.tsx'
import { albumName, albumsTexts } from './texts.ts'

interface DeleteAlbumProps {
  readonly album: Album
  readonly assets: readonly AssetFacts[]
  readonly bytes: number
}

export function DeleteAlbum(props: DeleteAlbumProps) {
  const text = useText(albumsTexts).removeAlbum
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" icon="trash" onClick={() => setOpen(true)}>
        {text.open}
      </Button>
      {isOpen && <DeleteAlbumDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

/** What the question names stays as it was asked: a file that arrives meanwhile keeps the album. */
function DeleteAlbumDialog({ onClose, ...asked }: DeleteAlbumProps & { readonly onClose: () => void }) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(albumsTexts)
  const errorText = useText(errorTexts)
  const format = useText(formats)
  const [{ album, assets, bytes }] = useState(asked)
  const [deleted, setDeleted] = useState(0)
  const [failed, setFailed] = useState<readonly NotDeleted[]>([])
  const { isBusy, error, run } = useAction()
  useCloseGuard(isBusy)

  async function remove(): Promise<void> {
    const isGone = await run(async () => {
      const left = await deleteEach(owner, assets, () => setDeleted((count) => count + 1))
      setFailed(left)
      if (left.length > 0) throw new AggregateError(left.map(({ reason }) => reason))
      await owner.deleteAlbum(album.albumId)
    })
    if (!isGone) return
    showMessage({ tone: 'good', text: text.removeAlbum.done })
    goTo('albums')
  }

  const [first] = failed
  return (
    <Dialog title={text.removeAlbum.title(albumName(album, text))} closeLabel={text.close} onClose={onClose}>
      {first !== undefined ? (
        <>
          <Notice tone="bad">{text.removeAlbum.failed(failed.length, errorText(first.reason))}</Notice>
          <NamedFew items={failed} keyOf={({ asset }) => asset.assetId}>
            {({ asset }) => <AssetName asset={asset} />}
          </NamedFew>
        </>
      ) : error !== undefined ? (
        <ErrorNotice error={error} />
      ) : (
        <p>
          {assets.length === 0 ? text.removeAlbum.empty : text.removeAlbum.text(assets.length, format.bytes(bytes))}
        </p>
      )}
      {isBusy && assets.length > 0 && (
        <Progress label={text.removeAlbum.progress(deleted, assets.length)} value={deleted} max={assets.length} />
      )}
      <div class="row">
        {error === undefined && (
          <Button kind="danger" icon="trash" busy={isBusy} onClick={() => void remove()}>
            {text.removeAlbum.confirm(assets.length)}
          </Button>
        )}
        <Button kind="quiet" disabled={isBusy} onClick={onClose}>
          {error === undefined ? text.cancel : text.close}
        </Button>
      </div>
    </Dialog>
  )
}
