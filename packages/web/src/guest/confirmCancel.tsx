import { Button, Dialog } from '../common/controls.tsx'
import { formatPercent } from '../common/format.ts'
import type { Row, Unfinished } from './messages.ts'
import { useGuestPages } from './texts.ts'

interface ConfirmCancelProps {
  readonly row: Pick<Row | Unfinished, 'name' | 'doneBytes' | 'totalBytes'>
  readonly onYes: () => void
  readonly onClose: () => void
}

/** Asks before the upload is cancelled. Shown only when the server has a part of the file, which it then deletes. */
export function ConfirmCancel({ row, onYes, onClose }: ConfirmCancelProps) {
  const { text, language } = useGuestPages()
  return (
    <Dialog title={text.confirm.title} closeLabel={text.confirm.close} onClose={onClose}>
      <p>
        <bdi>{text.confirm.text(row.name, formatPercent(row.doneBytes, row.totalBytes, language))}</bdi>
      </p>
      <div class="row">
        <Button kind="primary" onClick={onClose}>
          {text.confirm.no}
        </Button>
        <Button
          kind="danger"
          icon="trash"
          onClick={() => {
            onYes()
            onClose()
          }}
        >
          {text.confirm.yes}
        </Button>
      </div>
    </Dialog>
  )
}
