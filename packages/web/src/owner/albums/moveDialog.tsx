import type { AssetFacts } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { Dialog, Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useAlbums } from '../assets/useAssets.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts } from '../ground/texts.ts'
import { LosingShares } from '../shares/showingShares.tsx'
import { useWork } from '../work/work.ts'
import { AlbumForm } from './albumForm.tsx'
import { byProtection } from './protection.ts'

interface MoveDialogProps {
  /** Signed by devices that may sign. */
  readonly assets: readonly AssetFacts[]
  readonly onClose: () => void
  /** Called with the assets whose move begins. */
  readonly onMoved: (moved: readonly AssetId[]) => void
}

/** Asks for the album, and begins. What cannot be deleted where it is stays there. */
export function MoveDialog({ assets, onClose, onMoved }: MoveDialogProps) {
  const { owner } = useOwnerPages()
  const work = useWork()
  const text = useText(albumsTexts)
  const format = useText(formats)
  const albums = useAlbums()
  const { free, kept } = byProtection(assets, owner.now())
  const others = albums.value?.filter(({ albumId }) => free.some((asset) => asset.albumId !== albumId))
  return (
    <Dialog title={text.move.title(free.length || assets.length)} closeLabel={text.close} onClose={onClose}>
      {albums.error !== undefined && <ErrorNotice error={albums.error} onRetry={albums.reload} />}
      {kept && <Notice tone="warn">{text.remove.retained(kept.count, format.instant(kept.until))}</Notice>}
      {free.length > 0 && <p>{text.move.text(free.length)}</p>}
      {free.length > 0 && <LosingShares assets={free} />}
      {free.length > 0 && others !== undefined && (
        <AlbumForm
          albums={others}
          submit={text.move.confirm(free.length)}
          onClose={onClose}
          onChosen={({ albumId, name }) => {
            onClose()
            const items = free.map(({ assetId: id }) => ({ do: 'move' as const, id, albumId }))
            work.begin({ kind: 'move', album: { albumId, name }, items })
            onMoved(free.map(({ assetId }) => assetId))
          }}
        />
      )}
    </Dialog>
  )
}
