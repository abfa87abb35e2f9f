import type { ComponentChildren } from 'preact'
import { Button, Dialog } from '../common/controls.tsx'
import { useText } from '../common/reader.ts'
import { guestTexts } from './texts.ts'

interface ConfirmProps {
  readonly title: string
  readonly yes: string
  readonly no: string
  readonly onYes: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Asks before something is lost. The first button keeps it. */
export function Confirm({ title, yes, no, onYes, onClose, children }: ConfirmProps) {
  const text = useText(guestTexts)
  return (
    <Dialog title={title} closeLabel={text.confirm.close} onClose={onClose}>
      {children}
      <div class="row">
        <Button kind="primary" onClick={onClose}>
          {no}
        </Button>
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
      </div>
    </Dialog>
  )
}
