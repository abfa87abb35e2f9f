import { Name } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { ConfirmDialog } from '../dialogs/confirmDialog.tsx'
import { NamedFew } from '../dialogs/namedFew.tsx'
import { inboxTexts } from '../ground/texts.ts'
import type { ListedDrop } from './dropList.ts'
import { plainNameOf } from './dropTexts.ts'

interface ConfirmDiscardProps {
  readonly items: readonly ListedDrop[]
  readonly onClose: () => void
  readonly onConfirmed: () => void
}

export function ConfirmDiscard({ items, onClose, onConfirmed }: ConfirmDiscardProps) {
  const text = useText(inboxTexts)
  const format = useText(formats)
  const sealedBytes = items.reduce((sum, item) => sum + item.sealedBytes, 0)
  return (
    <ConfirmDialog
      title={text.discarding.title(items.length)}
      submit={text.discarding.submit(items.length)}
      icon="trash"
      onDone={onConfirmed}
      onClose={onClose}
    >
      <NamedFew items={items} keyOf={({ dropId }) => dropId}>
        {(item) => <Name>{plainNameOf(item, text)}</Name>}
      </NamedFew>
      <ul class="bullets">
        <li>{text.discarding.goesToBin}</li>
        <li>{text.discarding.room(format.bytes(sealedBytes))}</li>
        <li>{text.discarding.receiptStays}</li>
      </ul>
    </ConfirmDialog>
  )
}
