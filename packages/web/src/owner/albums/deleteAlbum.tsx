import type { Album, AssetFacts } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Dialog, Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { albumName } from '../assets/assetNames.ts'
import { ConfirmDialog } from '../dialogs/confirmDialog.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { goTo } from '../ground/route.ts'
import { albumsTexts, workTexts } from '../ground/texts.ts'
import { LosingShares } from '../shares/showingShares.tsx'
import { useWork } from '../work/work.ts'
import { byProtection } from './protection.ts'

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
  const { owner } = useOwnerPages()
  const work = useWork()
  const albumsText = useText(albumsTexts)
  const text = albumsText.removeAlbum
  const workText = useText(workTexts)
  const format = useText(formats)
  const [{ album, assets, bytes }] = useState(asked)
  const name = albumName(album, albumsText)
  const { kept } = byProtection(assets, owner.now())
  // Without the album nothing of it is deleted: that would be half of what the owner wants, and for good.
  if (kept !== undefined)
    return (
      <Dialog title={text.title(name)} closeLabel={albumsText.close} onClose={onClose}>
        <Notice tone="warn">
          {albumsText.remove.retained(kept.count, format.instant(kept.until))} {workText.albumStays}
        </Notice>
      </Dialog>
    )
  return (
    <ConfirmDialog
      title={text.title(name)}
      submit={text.confirm(assets.length)}
      icon="trash"
      onDone={() => {
        work.begin({
          kind: 'delete',
          items: assets.map(({ assetId: id }) => ({ do: 'delete', id })),
          last: { do: 'delete_album', id: album.albumId, name },
        })
        goTo('albums')
      }}
      onClose={onClose}
    >
      <p>{assets.length === 0 ? text.empty : text.text(assets.length, format.bytes(bytes))}</p>
      {assets.length > 0 && <LosingShares assets={assets} />}
    </ConfirmDialog>
  )
}
