import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { ownerTexts } from '../ground/texts.ts'

interface MoreProps {
  /** What the buttons are about. */
  readonly of: string
  readonly children: ComponentChildren
}

/** Buttons that a phone shows on demand: they would fill several rows. Use it in a `.row`. */
export function More({ of, children }: MoreProps) {
  const text = useText(ownerTexts).more
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div class="more-button">
        <Button kind="quiet" label={text.of(of)} expands={{ id, isExpanded: isOpen }} onClick={() => setOpen(!isOpen)}>
          {text.button}
        </Button>
      </div>
      <div id={id} class={`more ${isOpen ? 'open' : ''}`}>
        {children}
      </div>
    </>
  )
}
