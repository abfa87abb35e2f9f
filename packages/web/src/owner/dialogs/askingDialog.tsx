/** Asks before Escape or the cross loses what was typed, or a secret shown only now. Its own buttons do not ask. */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button, Dialog, type DialogProps, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useCloseGuard } from '../../common/work/closeGuard.ts'
import { ownerTexts } from '../ground/texts.ts'

interface AskingDialogProps extends DialogProps {
  /** Shows what cannot be shown again. */
  readonly holdsSecret?: boolean | undefined
  /** Its work cannot be stopped: it stays open. */
  readonly isBusy?: boolean | undefined
}

export function AskingDialog({ holdsSecret = false, isBusy = false, onClose, children, ...dialog }: AskingDialogProps) {
  const [isTyped, setTyped] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const before = useRef<Element | null>(null)
  useCloseGuard(holdsSecret)
  const ask = () => {
    before.current = document.activeElement
    setAsking(true)
  }
  const stay = () => {
    setAsking(false)
    if (before.current instanceof HTMLElement) before.current.focus()
  }
  const close = () => {
    if (isBusy) return
    if (isAsking) stay()
    else if (holdsSecret || isTyped) ask()
    else onClose()
  }
  return (
    <Dialog {...dialog} onClose={close}>
      {isAsking && <Question holdsSecret={holdsSecret} onStay={stay} onClose={onClose} />}
      <div class="stack" onInput={({ target }) => setTyped((last) => last || isTypedInto(target))}>
        {children}
      </div>
    </Dialog>
  )
}

/** A choice is made again with one click. */
function isTypedInto(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return true
  return target instanceof HTMLInputElement && target.type !== 'radio' && target.type !== 'checkbox'
}

interface QuestionProps {
  readonly holdsSecret: boolean
  readonly onStay: () => void
  readonly onClose: () => void
}

function Question({ holdsSecret, onStay, onClose }: QuestionProps) {
  const text = useText(ownerTexts).closing
  const part = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => part.current?.querySelector<HTMLElement>('.button.quiet')?.focus(), [])
  return (
    <Notice tone="warn">
      <p id={id}>{holdsSecret ? text.secret : text.typed}</p>
      <div class="row" ref={part}>
        <Button kind="danger" onClick={onClose}>
          {text.leave}
        </Button>
        <Button kind="quiet" describedBy={id} onClick={onStay}>
          {text.stay}
        </Button>
      </div>
    </Notice>
  )
}
