import type { AssetId } from '@blindkeep/protocol/ids'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { Button, Dialog, Notice } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { errorText } from '../errorText.ts'
import { useAction } from '../useAction.ts'
import { albumsText } from './texts.ts'

interface RemoveDialogProps {
  readonly assetIds: readonly AssetId[]
  readonly onClose: () => void
  /** Called with the assets that were deleted. */
  readonly onRemoved: (deleted: readonly AssetId[]) => void
}

export function RemoveDialog({ assetIds, onClose, onRemoved }: RemoveDialogProps) {
  const { owner, language, showMessage } = useOwnerPages()
  const text = albumsText(language)
  const { isBusy, error, run } = useAction()
  useCloseGuard(isBusy)

  async function remove(): Promise<void> {
    const deleted: AssetId[] = []
    const isAllGone = await run(async () => {
      const errors: unknown[] = []
      // A failure does not stop the deletion of the others.
      for (const assetId of assetIds)
        await owner.deleteAsset(assetId).then(
          () => deleted.push(assetId),
          (reason: unknown) => errors.push(reason),
        )
      if (errors.length > 0) throw new AggregateError(errors)
    })
    if (deleted.length > 0) {
      showMessage({ tone: 'good', text: text.remove.done(deleted.length) })
      onRemoved(deleted)
    }
    if (isAllGone) onClose()
  }

  const fault =
    error instanceof AggregateError
      ? text.remove.failed(error.errors.length, errorText(error.errors[0], language))
      : undefined

  return (
    <Dialog title={text.remove.title(assetIds.length)} closeLabel={text.close} onClose={onClose}>
      {fault === undefined ? <p>{text.remove.text(assetIds.length)}</p> : <Notice tone="bad">{fault}</Notice>}
      <div class="row">
        {fault === undefined && (
          <Button kind="danger" icon="trash" busy={isBusy} onClick={() => void remove()}>
            {text.remove.confirm(assetIds.length)}
          </Button>
        )}
        <Button kind="quiet" disabled={isBusy} onClick={onClose}>
          {fault === undefined ? text.cancel : text.close}
        </Button>
      </div>
    </Dialog>
  )
}
