import { Button, Dialog, Name } from '../../common/controls.tsx'
import { formatBytes } from '../../common/format.ts'
import { useOwnerPages } from '../context.ts'
import type { ListedDrop } from './dropList.ts'
import { inboxText, plainNameOf } from './texts.ts'

/** More names would push the question out of sight. */
const MAX_NAMED = 5

interface ConfirmDiscardProps {
  readonly items: readonly ListedDrop[]
  readonly onClose: () => void
  readonly onConfirmed: () => void
}

export function ConfirmDiscard({ items, onClose, onConfirmed }: ConfirmDiscardProps) {
  const { language } = useOwnerPages()
  const text = inboxText(language)
  const sealedBytes = items.reduce((sum, item) => sum + item.sealedBytes, 0)
  return (
    <Dialog title={text.discarding.title(items.length)} closeLabel={text.close} onClose={onClose}>
      <ul class="named">
        {items.slice(0, MAX_NAMED).map((item) => (
          <li key={item.dropId}>
            <Name>{plainNameOf(item, language)}</Name>
          </li>
        ))}
        {items.length > MAX_NAMED && <li class="soft">+ {items.length - MAX_NAMED}</li>}
      </ul>
      <ul class="bullets">
        <li>{text.discarding.cannotBeUndone}</li>
        <li>{text.discarding.room(formatBytes(sealedBytes, language))}</li>
        <li>{text.discarding.receiptStays}</li>
      </ul>
      <div class="row end">
        <Button onClick={onClose}>{text.cancel}</Button>
        <Button kind="danger" icon="trash" onClick={onConfirmed}>
          {text.discarding.submit(items.length)}
        </Button>
      </div>
    </Dialog>
  )
}
