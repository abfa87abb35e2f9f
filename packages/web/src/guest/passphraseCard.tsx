import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../common/controls.tsx'
import { useText } from '../common/reader.ts'
import type { Snapshot } from './messages.ts'
import { PassphraseField } from './passphraseField.tsx'
import { isPassphraseAsked } from './standing.ts'
import { useTell } from './tell.ts'
import { guestTexts } from './texts.ts'

/** Asks for the passphrase after a refusal, or when the link turns out to need one. */
export function PassphraseCard({ snapshot }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts)
  const tell = useTell()
  const [typed, setTyped] = useState('')
  const card = useRef<HTMLFormElement>(null)
  const isAsked = isPassphraseAsked(snapshot)
  useEffect(() => {
    if (isAsked) card.current?.querySelector('input')?.focus()
  }, [isAsked])
  if (!isAsked) return null
  return (
    <form
      ref={card}
      class="card stack asked"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed !== '') tell({ do: 'passphrase', passphrase: typed })
      }}
    >
      <PassphraseField
        value={typed}
        onInput={setTyped}
        fault={snapshot.passphrase === 'refused' ? text.message.passphraseRefused : text.message.passphraseMissing}
      />
      <div>
        <Button submits kind="primary" disabled={typed === ''}>
          {text.message.passphraseSend}
        </Button>
      </div>
    </form>
  )
}
