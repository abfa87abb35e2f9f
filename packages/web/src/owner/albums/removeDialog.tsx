import type { AssetFacts } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { Button, Dialog, Name, Notice } from '../../common/controls.tsx'
import { formats } from '../../common/format.ts'
import { useText } from '../../common/reader.ts'
import { useOwnerPages } from '../context.ts'
import { errorTexts } from '../errorText.ts'
import { NamedFew } from '../namedFew.tsx'
import { useAction } from '../useAction.ts'
import { deleteEach } from './deleteEach.ts'
import { isProtected } from './protection.ts'
import { albumsTexts, shownName } from './texts.ts'
import { useTile } from './useTile.ts'

interface RemoveDialogProps {
  readonly assets: readonly AssetFacts[]
  readonly onClose: () => void
  /** Called with the assets that were deleted. */
  readonly onRemoved: (deleted: readonly AssetId[]) => void
}

export function RemoveDialog({ assets, onClose, onRemoved }: RemoveDialogProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(albumsTexts)
  const errorText = useText(errorTexts)
  const { isBusy, error, run } = useAction()
  useCloseGuard(isBusy)

  const format = useText(formats)
  const ends = assets.map(({ retainedUntil }) => retainedUntil).filter((until) => isProtected(until, owner.now()))
  const last = ends.toSorted().at(-1)
  const free = assets.filter(({ retainedUntil }) => !isProtected(retainedUntil, owner.now()))

  async function remove(): Promise<void> {
    const deleted: AssetId[] = []
    const isAllGone = await run(async () => {
      const failed = await deleteEach(owner, free, ({ assetId }) => deleted.push(assetId))
      if (failed.length > 0) throw new AggregateError(failed.map(({ reason }) => reason))
    })
    if (deleted.length > 0) {
      showMessage({ tone: 'good', text: text.remove.done(deleted.length) })
      onRemoved(deleted)
    }
    if (isAllGone) onClose()
  }

  const fault =
    error instanceof AggregateError ? text.remove.failed(error.errors.length, errorText(error.errors[0])) : undefined

  const canDelete = fault === undefined && free.length > 0

  return (
    <Dialog title={text.remove.title(assets.length)} closeLabel={text.close} onClose={onClose}>
      <NamedFew items={assets} keyOf={({ assetId }) => assetId}>
        {(asset) => <AssetName asset={asset} />}
      </NamedFew>
      {last !== undefined && <Notice tone="warn">{text.remove.retained(ends.length, format.instant(last))}</Notice>}
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
      {canDelete && <p>{text.remove.text(free.length)}</p>}
      <div class="row">
        {canDelete && (
          <Button kind="danger" icon="trash" busy={isBusy} onClick={() => void remove()}>
            {text.remove.confirm(free.length)}
          </Button>
        )}
        <Button kind="quiet" disabled={isBusy} onClick={onClose}>
          {canDelete ? text.cancel : text.close}
        </Button>
      </div>
    </Dialog>
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
