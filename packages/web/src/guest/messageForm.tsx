import { useState } from 'preact/hooks'
import { Button, Field } from '../common/controls.tsx'
import { formatBytes } from '../common/format.ts'
import type { Snapshot } from './messages.ts'
import { PassphraseField } from './passphraseField.tsx'
import { useGuestPages } from './texts.ts'

/** Together with the longest name they fit into a sealed header, which has 64 KiB. */
const MAX_NOTE_CHARACTERS = 10_000
const MAX_SENDER_CHARACTERS = 200

/** The last step: a word to go with the files, the passphrase where one is asked for, and the button. */
export function MessageForm({ snapshot: { counts, chosenBytes, passphrase } }: { readonly snapshot: Snapshot }) {
  const { text, language, tell } = useGuestPages()
  const [note, setNote] = useState('')
  const [sender, setSender] = useState('')
  const [typed, setTyped] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const asksPassphrase = passphrase === 'wanted'
  const submit = (event: Event) => {
    event.preventDefault()
    setIsMissing(asksPassphrase && typed === '')
    if (asksPassphrase && typed === '') return
    tell({
      do: 'send',
      message: { note: note.trim(), sender: sender.trim() },
      passphrase: asksPassphrase ? typed : undefined,
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
              value={note}
              onInput={(event) => setNote(event.currentTarget.value)}
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
              value={sender}
              onInput={(event) => setSender(event.currentTarget.value)}
            />
          )}
        </Field>
      </section>
      {asksPassphrase && (
        <section class="card" aria-label={text.message.passphrase}>
          <PassphraseField
            value={typed}
            onInput={setTyped}
            fault={isMissing && typed === '' ? text.message.passphraseMissing : undefined}
          />
        </section>
      )}
      <div class="send-bar">
        <span class="soft small">{text.chosen(counts.chosen, formatBytes(chosenBytes, language))}</span>
        <Button submits kind="primary" icon="lock">
          {text.send(counts.chosen)}
        </Button>
      </div>
    </form>
  )
}
