import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../common/controls/controls.tsx'
import { PassphraseField } from '../common/controls/passphraseField.tsx'
import { useText } from '../common/language/reader.ts'
import type { Opening } from './opening.ts'
import { shareTexts } from './texts.ts'

type AskPassphraseProps = Omit<Extract<Opening, { readonly stage: 'asking' }>, 'stage'>

/** Asks for the passphrase of the share until one opens it. */
export function AskPassphrase({ asked, isChecking, give }: AskPassphraseProps) {
  const text = useText(shareTexts).asked
  const [typed, setTyped] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!isChecking) form.current?.querySelector('input')?.focus()
  }, [isChecking])
  const fault = asked === 'at_first' || isChecking ? undefined : text[asked]
  return (
    <form
      ref={form}
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() !== '' && !isChecking) give(typed)
      }}
    >
      <PassphraseField value={typed} words={text} fault={fault} onInput={setTyped} />
      <div>
        <Button kind="primary" submits busy={isChecking} disabled={typed.trim() === ''}>
          {isChecking ? text.checking : text.open}
        </Button>
      </div>
    </form>
  )
}
