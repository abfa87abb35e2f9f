import type { ComponentChildren } from 'preact'
import { Button, Dialog, DialogEnd } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { guestTexts } from '../ground/texts.ts'

interface ConfirmProps {
  readonly title: string
  readonly yes: string
  readonly no: string
  readonly onYes: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Asks before something is lost. */
export function Confirm({ title, yes, no, onYes, onClose, children }: ConfirmProps) {
  const text = useText(guestTexts)
  return (
    <Dialog title={title} closeLabel={text.confirm.close} onClose={onClose}>
      {children}
      <DialogEnd>
        <Button
          kind="danger"
          icon="trash"
          onClick={() => {
            onYes()
            onClose()
          }}
        >
          {yes}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {no}
        </Button>
      </DialogEnd>
    </Dialog>
  )
}
