import type { Album, AssetFacts } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button } from '../../common/controls.tsx'
import { formats } from '../../common/format.ts'
import { useText } from '../../common/reader.ts'
import { ConfirmDialog } from '../confirmDialog.tsx'
import { goTo } from '../route.ts'
import { useWork } from '../work/work.ts'
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
  const work = useWork()
  const albumsText = useText(albumsTexts)
  const text = albumsText.removeAlbum
  const format = useText(formats)
  const [{ album, assets, bytes }] = useState(asked)
  const name = albumName(album, albumsText)
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
    </ConfirmDialog>
  )
}
