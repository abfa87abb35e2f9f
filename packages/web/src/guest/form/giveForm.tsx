import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isLocalPage } from '../../common/address/localPage.ts'
import { Button, Field, Notice } from '../../common/controls/controls.tsx'
import { focusFault } from '../../common/drawing/focusFault.ts'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import type { Message, Snapshot } from '../ground/messages.ts'
import { haveMessage, isPassphraseAsked } from '../ground/standing.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'
import { PassphraseField } from '../link/passphraseField.tsx'
import type { AnswerFaults } from './typedAnswers.ts'

/** In any script less than a header accepts (`MAX_HEADER_TEXT_BYTES`). */
const MAX_NOTE_CHARACTERS = 10_000
const MAX_SENDER_CHARACTERS = 200

const NO_MESSAGE: Message = { note: '', sender: '' }
const NONE: ReadonlySet<string> = new Set()
const NO_FAULTS: AnswerFaults = new Map()

interface GiveFormProps {
  /** Undefined until the worker has sent one: the fields then accept nothing. */
  readonly snapshot: Snapshot | undefined
  /** Where files are chosen. Undefined if none can be. */
  readonly chooser: ComponentChildren
  readonly passphrase: string
  readonly onPassphrase: (typed: string) => void
  /** What has been chosen. */
  readonly children: ComponentChildren
}

/** All that the guest gives: the passphrase if the link needs one, files, a message for the owner, and the button. */
export function GiveForm({ snapshot, chooser, passphrase, onPassphrase, children }: GiveFormProps) {
  const tell = useTell()
  const [message, setMessage] = useState(snapshot?.message ?? NO_MESSAGE)
  const [unreadable, setUnreadable] = useState<ReadonlySet<string>>(NONE)
  const [isChecked, setIsChecked] = useState(false)
  const chosen = snapshot?.counts.chosen ?? 0
  const isBefore = (snapshot?.totals.files ?? 0) === 0
  const needsPassphrase = snapshot?.passphrase === 'wanted' && !isPassphraseAsked(snapshot)
  // Files that were begun have their message; the fields come again with files that can still get another.
  const isWritten = snapshot !== undefined && haveMessage(snapshot)
  const hasFields = chosen > 0 || (isBefore && !isWritten && chooser !== undefined)
  const questions = snapshot?.link.is === 'open' ? snapshot.link.words.questions : undefined
  const asked = useAsked(questions !== undefined)
  const answers = message.answers ?? []
  const faultsOf = (unreadable: ReadonlySet<string>) =>
    (questions && asked.value?.answerFaults(questions, { answers, unreadable })) ?? NO_FAULTS
  const lacksPassphrase = needsPassphrase && passphrase === ''
  const write = (change: Partial<Message>) => {
    const written = { ...message, ...change }
    setMessage(written)
    tell({ do: 'write', message: written })
  }
  const submit = (event: { readonly currentTarget: HTMLFormElement; preventDefault(): void }) => {
    event.preventDefault()
    const isUnasked = questions !== undefined && asked.value === undefined
    if (chosen === 0 || isUnasked) return
    const unread = asked.value?.unreadableIn(event.currentTarget) ?? NONE
    setUnreadable(unread)
    const isFaulty = lacksPassphrase || faultsOf(unread).size > 0
    setIsChecked(isFaulty)
    if (isFaulty) return focusFault(event.currentTarget)
    const given = questions && asked.value?.answersIn(questions, answers)
    tell({
      do: 'send',
      message: { note: message.note.trim(), sender: message.sender.trim(), ...(given?.length && { answers: given }) },
      passphrase: needsPassphrase ? passphrase : undefined,
    })
    onPassphrase('')
  }
  return (
    // The faults are beside the fields, in the page's own words.
    <form class="stack give" noValidate onSubmit={submit}>
      {needsPassphrase && <PassphraseSection {...{ passphrase, onPassphrase }} isMissing={isChecked} />}
      <div class={`give-parts ${hasFields ? 'beside' : ''}`}>
        {chooser}
        {hasFields && (
          <MessageFields
            message={message}
            onWrite={write}
            isFirst={isBefore && !isWritten}
            storage={snapshot?.storage}
          />
        )}
      </div>
      {hasFields && questions !== undefined && asked.value !== undefined && (
        <asked.value.QuestionsCard
          questions={questions}
          typed={{ answers, unreadable }}
          faults={isChecked ? faultsOf(unreadable) : NO_FAULTS}
          onType={(next) => {
            setUnreadable(next.unreadable)
            write({ answers: next.answers })
          }}
        />
      )}
      {questions !== undefined && asked.error !== undefined && <NotAsked onRetry={asked.reload} />}
      {children}
      {snapshot !== undefined && chosen > 0 && <SendBar snapshot={snapshot} />}
    </form>
  )
}

/** Few links have questions, so their code is loaded with the first one that has some. */
function useAsked(isWanted: boolean) {
  const load = async () => (isWanted ? import('./questionsCard.tsx') : undefined)
  return useLoaded(load, isWanted ? 'asked' : '')
}

function NotAsked({ onRetry }: { readonly onRetry: () => void }) {
  const text = useText(guestTexts)
  return (
    <Notice tone="warn">
      <p>{text.notAsked}</p>
      <div>
        <Button icon="retry" onClick={onRetry}>
          {text.askAgain}
        </Button>
      </div>
    </Notice>
  )
}

interface PassphraseSectionProps {
  readonly passphrase: string
  readonly onPassphrase: (typed: string) => void
  readonly isMissing: boolean
}

/** Before the files: a guest who does not have it need not choose any. */
function PassphraseSection({ passphrase, onPassphrase, isMissing }: PassphraseSectionProps) {
  const text = useText(guestTexts).message
  return (
    <section class="card" aria-label={text.passphrase}>
      <PassphraseField
        value={passphrase}
        onInput={onPassphrase}
        fault={isMissing && passphrase === '' ? text.passphraseMissing : undefined}
      />
    </section>
  )
}

interface MessageFieldsProps {
  readonly message: Message
  readonly onWrite: (change: Partial<Message>) => void
  /** No file has a message yet. */
  readonly isFirst: boolean
  /** Undefined until the worker has answered: the fields then accept nothing. */
  readonly storage: Snapshot['storage'] | undefined
}

function MessageFields({ message, onWrite, isFirst, storage }: MessageFieldsProps) {
  const text = useText(guestTexts).message
  const isReady = storage !== undefined
  // Said before it is known, so that nothing moves then; a local page is known to store nothing.
  const isForgotten = isLocalPage || storage === 'refused'
  return (
    <section class="card stack message-fields" aria-labelledby="message-heading">
      <div>
        <h2 id="message-heading">{text.heading}</h2>
        <p class="soft small">{isFirst ? `${text.optional}${isForgotten ? '' : ` ${text.remembered}`}` : text.again}</p>
      </div>
      <Field label={text.note} hint={text.noteHint}>
        {(input) => (
          <textarea
            {...input}
            rows={2}
            maxLength={MAX_NOTE_CHARACTERS}
            disabled={!isReady}
            value={message.note}
            onInput={(event) => onWrite({ note: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={text.sender}>
        {(input) => (
          <input
            {...input}
            type="text"
            autocomplete="name"
            maxLength={MAX_SENDER_CHARACTERS}
            disabled={!isReady}
            value={message.sender}
            onInput={(event) => onWrite({ sender: event.currentTarget.value })}
          />
        )}
      </Field>
    </section>
  )
}

function SendBar({ snapshot }: { readonly snapshot: Snapshot }) {
  const { counts, chosenBytes } = snapshot
  const text = useText(guestTexts)
  const format = useText(formats)
  return (
    <div class="send-bar">
      <span class="soft small">{text.chosen(counts.chosen, format.bytes(chosenBytes))}</span>
      <Button submits kind={isPassphraseAsked(snapshot) ? undefined : 'primary'} icon="lock">
        {text.send(counts.chosen)}
      </Button>
    </div>
  )
}
