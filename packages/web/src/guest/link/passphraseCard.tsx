import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import type { Snapshot } from '../ground/messages.ts'
import { isPassphraseAsked } from '../ground/standing.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'
import { PassphraseField } from './passphraseField.tsx'

interface PassphraseCardProps {
  readonly snapshot: Snapshot
  readonly typed: string
  readonly onTyped: (typed: string) => void
}

/** Asks for the passphrase after a refusal, or while files of an earlier visit wait for it. */
export function PassphraseCard({ snapshot, typed, onTyped }: PassphraseCardProps) {
  const text = useText(guestTexts)
  const tell = useTell()
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
        if (typed === '') return
        tell({ do: 'passphrase', passphrase: typed })
        onTyped('')
      }}
    >
      <PassphraseField
        value={typed}
        onInput={onTyped}
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
