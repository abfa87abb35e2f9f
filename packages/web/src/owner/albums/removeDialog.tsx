import type { AssetFacts } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { Name } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { ConfirmDialog } from '../confirmDialog.tsx'
import { NamedFew } from '../namedFew.tsx'
import { useWork } from '../work/work.ts'
import { albumsTexts, shownName } from './texts.ts'
import { useTile } from './useTile.ts'

interface RemoveDialogProps {
  readonly assets: readonly AssetFacts[]
  readonly onClose: () => void
  /** Called with the assets whose deletion begins. */
  readonly onRemoved: (deleted: readonly AssetId[]) => void
}

export function RemoveDialog({ assets, onClose, onRemoved }: RemoveDialogProps) {
  const work = useWork()
  const text = useText(albumsTexts).remove
  return (
    <ConfirmDialog
      title={text.title(assets.length)}
      submit={text.confirm(assets.length)}
      icon="trash"
      onDone={() => {
        onClose()
        work.begin({ kind: 'delete', items: assets.map(({ assetId: id }) => ({ do: 'delete', id })) })
        onRemoved(assets.map(({ assetId }) => assetId))
      }}
      onClose={onClose}
    >
      <NamedFew items={assets} keyOf={({ assetId }) => assetId}>
        {(asset) => <AssetName asset={asset} />}
      </NamedFew>
      <p>{text.text(assets.length)}</p>
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
      <Name>{shownName(content.shown, text)}</Name>{' '}
      {content.shown.trust.kind === 'revoked' && <span class="badge warn">{text.trust.revoked}</span>}
    </>
  )
}
