import { useState } from 'preact/hooks'
import { Button, Field } from '../common/controls.tsx'
import { focusFault } from '../common/focusFault.ts'
import { formats } from '../common/format.ts'
import { useText } from '../common/reader.ts'
import type { Message, Snapshot } from './messages.ts'
import { PassphraseField } from './passphraseField.tsx'
import { isPassphraseAsked } from './standing.ts'
import { useTell } from './tell.ts'
import { guestTexts } from './texts.ts'

/** In any script less than a header accepts (`MAX_HEADER_TEXT_BYTES`). */
const MAX_NOTE_CHARACTERS = 10_000
const MAX_SENDER_CHARACTERS = 200

/** The last step: a message for the owner, the passphrase if the link needs one, and the send button. */
export function MessageForm({ snapshot }: { readonly snapshot: Snapshot }) {
  const format = useText(formats)
  const { counts, chosenBytes, passphrase } = snapshot
  const text = useText(guestTexts)
  const tell = useTell()
  const [message, setMessage] = useState(snapshot.message)
  const [typed, setTyped] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const needsPassphrase = passphrase === 'wanted' && !isPassphraseAsked(snapshot)
  const write = (change: Partial<Message>) => {
    const written = { ...message, ...change }
    setMessage(written)
    tell({ do: 'write', message: written })
  }
  const submit = (event: { readonly currentTarget: HTMLFormElement; preventDefault(): void }) => {
    event.preventDefault()
    const lacksPassphrase = needsPassphrase && typed === ''
    setIsMissing(lacksPassphrase)
    if (lacksPassphrase) return focusFault(event.currentTarget)
    tell({
      do: 'send',
      message: { note: message.note.trim(), sender: message.sender.trim() },
      passphrase: needsPassphrase ? typed : undefined,
    })
  }
  return (
    <form class="stack" onSubmit={submit}>
      <section class="card stack" aria-labelledby="message-heading">
        <div>
          <h2 id="message-heading">{text.message.heading}</h2>
          <p class="soft small">{text.message.optional}</p>
        </div>
        <Field label={text.message.note} hint={text.message.noteHint}>
          {(input) => (
            <textarea
              {...input}
              rows={2}
              maxLength={MAX_NOTE_CHARACTERS}
              value={message.note}
              onInput={(event) => write({ note: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label={text.message.sender}>
          {(input) => (
            <input
              {...input}
              type="text"
              autocomplete="name"
              maxLength={MAX_SENDER_CHARACTERS}
              value={message.sender}
              onInput={(event) => write({ sender: event.currentTarget.value })}
            />
          )}
        </Field>
      </section>
      {needsPassphrase && (
        <section class="card" aria-label={text.message.passphrase}>
          <PassphraseField
            value={typed}
            onInput={setTyped}
            fault={isMissing && typed === '' ? text.message.passphraseMissing : undefined}
          />
        </section>
      )}
      <div class="send-bar">
        <span class="soft small">{text.chosen(counts.chosen, format.bytes(chosenBytes))}</span>
        <Button submits kind="primary" icon="lock">
          {text.send(counts.chosen)}
        </Button>
      </div>
    </form>
  )
}
