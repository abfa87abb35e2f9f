import type { AssetFacts } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { Dialog, Name, Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { shownName } from '../assets/assetNames.ts'
import { useTile } from '../assets/useTile.ts'
import { ConfirmDialog } from '../dialogs/confirmDialog.tsx'
import { NamedFew } from '../dialogs/namedFew.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts } from '../ground/texts.ts'
import { LosingShares } from '../shares/showingShares.tsx'
import { useWork } from '../work/work.ts'
import { byProtection } from './protection.ts'

interface RemoveDialogProps {
  readonly assets: readonly AssetFacts[]
  readonly onClose: () => void
  /** Called with the assets whose deletion begins. */
  readonly onRemoved: (deleted: readonly AssetId[]) => void
}

export function RemoveDialog({ assets, onClose, onRemoved }: RemoveDialogProps) {
  const { owner } = useOwnerPages()
  const work = useWork()
  const { remove: text, close } = useText(albumsTexts)
  const format = useText(formats)
  const { free, kept } = byProtection(assets, owner.now())

  const about = (
    <>
      <NamedFew items={assets} keyOf={({ assetId }) => assetId}>
        {(asset) => <AssetName asset={asset} />}
      </NamedFew>
      {kept && <Notice tone="warn">{text.retained(kept.count, format.instant(kept.until))}</Notice>}
    </>
  )
  if (free.length === 0)
    return (
      <Dialog title={text.title(assets.length)} closeLabel={close} onClose={onClose}>
        {about}
      </Dialog>
    )
  return (
    <ConfirmDialog
      title={text.title(assets.length)}
      submit={text.confirm(free.length)}
      icon="trash"
      onDone={() => {
        onClose()
        work.begin({ kind: 'delete', items: free.map(({ assetId: id }) => ({ do: 'delete', id })) })
        onRemoved(free.map(({ assetId }) => assetId))
      }}
      onClose={onClose}
    >
      {about}
      <p>{text.text(free.length)}</p>
      <LosingShares assets={free} />
    </ConfirmDialog>
  )
}

/** As its tile names it, which has mostly read it already. */
export function AssetName({ asset }: { readonly asset: AssetFacts }) {
  const text = useText(albumsTexts)
  const content = useTile(asset, true)
  if (content?.shown === undefined) return content === undefined ? text.album.opening : text.album.unreadable
  return (
    <>
      <Name>{shownName(content.shown, text)}</Name>
      {content.shown.trust.kind === 'revoked' && (
        <>
          {' '}
          <span class="badge warn">{text.trust.revoked}</span>
        </>
      )}
    </>
  )
}
