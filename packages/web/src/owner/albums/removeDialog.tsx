import type { AssetId } from '@blindkeep/protocol/ids'
import { useState } from 'preact/hooks'
import { Button, Dialog, Notice } from '../../common/controls.tsx'
import { useBusy } from '../busy.ts'
import { useOwnerPages } from '../context.ts'
import { errorText } from '../errorText.ts'
import { albumsText } from './texts.ts'

interface RemoveDialogProps {
  readonly assetIds: readonly AssetId[]
  readonly onClose: () => void
  /** With those that are gone. */
  readonly onRemoved: (gone: readonly AssetId[]) => void
}

export function RemoveDialog({ assetIds, onClose, onRemoved }: RemoveDialogProps) {
  const { owner, language, tell } = useOwnerPages()
  const text = albumsText(language)
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  useBusy(isBusy)

  async function remove(): Promise<void> {
    setBusy(true)
    setFault(undefined)
    const gone: AssetId[] = []
    const errors: unknown[] = []
    for (const assetId of assetIds) {
      try {
        await owner.deleteAsset(assetId)
        gone.push(assetId)
      } catch (error) {
        errors.push(error)
      }
    }
    setBusy(false)
    if (gone.length > 0) {
      tell({ tone: 'good', text: text.remove.done(gone.length) })
      onRemoved(gone)
    }
    if (errors.length === 0) onClose()
    else setFault(text.remove.failed(errors.length, errorText(errors[0], language)))
  }

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
