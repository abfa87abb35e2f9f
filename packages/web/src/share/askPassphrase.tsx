import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../common/controls.tsx'
import type { Language } from '../common/language.ts'
import { PassphraseField } from '../common/passphraseField.tsx'
import type { Opening } from './opening.ts'
import { shareText } from './texts.ts'

type AskPassphraseProps = Omit<Extract<Opening, { readonly stage: 'asking' }>, 'stage'> & {
  readonly language: Language
}

/** Asks for the passphrase of the share until one opens it. */
export function AskPassphrase({ asked, isChecking, give, language }: AskPassphraseProps) {
  const text = shareText(language).asked
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
