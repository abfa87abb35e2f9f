/** What a link asks its guests, and which kinds of files it wants. */
import { MAX_HEADER_LIST_BYTES, MAX_QUESTIONS } from '@blindkeep/protocol/suites'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, Check, Field, IconButton } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { linksTexts } from '../ground/texts.ts'
import type { CapFieldsProps } from './linkCaps.tsx'
import {
  type AskedFaults,
  type AskedField,
  bytesOf,
  QUESTION_KINDS,
  type QuestionDraft,
  withMoved,
  withNewQuestion,
} from './questionDrafts.ts'

/** What gets the focus once it is drawn: of a question its label or a button, without a question the one that adds. */
interface Wanted {
  readonly id: number | undefined
  readonly part: 'label' | 'up' | 'down' | 'remove'
}

export function QuestionFields({ draft, faults, change }: CapFieldsProps) {
  const text = useText(linksTexts).asking
  const [isOpen] = useState(draft.questions.length > 0 || draft.fileKinds !== '')
  return (
    <details class="link-fields" open={isOpen}>
      <summary>{text.title}</summary>
      <div class="stack">
        <p class="small soft">{text.about}</p>
        {draft.questions.length > 0 && <p class="small soft">{text.older}</p>}
        <QuestionList {...{ draft, faults, change }} />
        <Field
          label={text.fileKinds}
          hint={text.fileKindsHint}
          fault={faults.asked?.fileKinds && text.faults.file_kinds}
        >
          {(input) => (
            <input
              {...input}
              value={draft.fileKinds}
              maxLength={MAX_HEADER_LIST_BYTES.file_kinds}
              placeholder={text.fileKindsExample}
              autoComplete="off"
              spellcheck={false}
              onInput={(event) => change({ fileKinds: event.currentTarget.value })}
            />
          )}
        </Field>
      </div>
    </details>
  )
}

function QuestionList({ draft, faults, change }: CapFieldsProps) {
  const text = useText(linksTexts).asking
  const { questions } = draft
  const [said, setSaid] = useState('')
  const [part, want] = useWantedFocus()
  const put = (next: readonly QuestionDraft[]) => change({ questions: next })
  const move = (question: QuestionDraft, by: -1 | 1) => {
    const next = withMoved(questions, question.id, by)
    const place = next.indexOf(question) + 1
    put(next)
    setSaid(text.moved(question.label, place, next.length))
    const isAtEnd = place === (by === -1 ? 1 : next.length)
    want({ id: question.id, part: (by === -1) === isAtEnd ? 'down' : 'up' })
  }
  const remove = (question: QuestionDraft) => {
    const at = questions.indexOf(question)
    const next = questions.filter((other) => other !== question)
    put(next)
    setSaid(text.removed(question.label))
    want({ id: (next[at] ?? next[at - 1])?.id, part: 'remove' })
  }
  const add = () => {
    const next = withNewQuestion(questions)
    put(next)
    want({ id: next.at(-1)?.id, part: 'label' })
  }
  return (
    <div class="stack" ref={part}>
      {questions.length > 0 && (
        <ol class="stack">
          {questions.map((question, at) => (
            <li key={question.id} data-question={question.id}>
              <QuestionPart
                {...{ question, place: at + 1, count: questions.length, faults: faults.asked ?? {} }}
                onChange={(changed) =>
                  put(questions.map((other) => (other === question ? { ...question, ...changed } : other)))
                }
                onMove={(by) => move(question, by)}
                onRemove={() => remove(question)}
              />
            </li>
          ))}
        </ol>
      )}
      <div class="row">
        <Button icon="add" disabled={questions.length >= MAX_QUESTIONS.count} onClick={add}>
          {text.add}
        </Button>
        {questions.length > 0 && (
          <p class="small soft">
            {text.count(questions.length, MAX_QUESTIONS.count)} ·{' '}
            {text.bytes(bytesOf(questions), MAX_HEADER_LIST_BYTES.questions)}
          </p>
        )}
      </div>
      <p class="visually-hidden" role="status">
        {said}
      </p>
    </div>
  )
}

/** A button that has moved with its question has lost the focus, and one that was removed had it. */
function useWantedFocus() {
  const part = useRef<HTMLDivElement>(null)
  const wanted = useRef<Wanted>(undefined)
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const { id, part: which } = wanted.current
    wanted.current = undefined
    const question = part.current?.querySelector(`[data-question="${id}"]`)
    const place = { label: 'input', up: 'button', down: 'button + button', remove: 'button:last-child' }[which]
    const within = which === 'label' ? question : question?.querySelector('.question-acts')
    const target =
      within?.querySelector<HTMLElement>(place) ?? part.current?.querySelector<HTMLElement>(':scope > .row button')
    target?.focus()
  })
  const want = (next: Wanted) => {
    wanted.current = next
  }
  return [part, want] as const
}

interface QuestionPartProps {
  readonly question: QuestionDraft
  /** From 1. */
  readonly place: number
  readonly count: number
  readonly faults: AskedFaults
  readonly onChange: (changed: Partial<QuestionDraft>) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

function QuestionPart({ question, place, count, faults, onChange, onMove, onRemove }: QuestionPartProps) {
  const text = useText(linksTexts).asking
  return (
    <fieldset class="question stack tight">
      <legend class="visually-hidden">{text.question(place)}</legend>
      <div class="row apart">
        <strong aria-hidden="true">{text.question(place)}</strong>
        <div class="question-acts row">
          <IconButton icon="up" label={text.up(place)} disabled={place === 1} onClick={() => onMove(-1)} />
          <IconButton icon="down" label={text.down(place)} disabled={place === count} onClick={() => onMove(1)} />
          <IconButton icon="trash" label={text.remove(place)} onClick={onRemove} />
        </div>
      </div>
      <Field label={text.label} hint={text.labelHint} fault={faultOf(faults, question, 'label', text)}>
        {(input) => (
          <input
            {...input}
            value={question.label}
            maxLength={MAX_QUESTIONS.label}
            placeholder={text.labelExample}
            autoComplete="off"
            onInput={(event) => onChange({ label: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={text.kind}>
        {(input) => (
          <select
            {...input}
            value={question.kind}
            onChange={({ currentTarget: { value } }) =>
              onChange({ kind: QUESTION_KINDS.find((kind) => kind === value) ?? 'text' })
            }
          >
            {QUESTION_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {text.kinds[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <KindFields {...{ question, faults, onChange }} />
      <Check checked={question.required} onChange={(required) => onChange({ required })}>
        {text.required}
      </Check>
    </fieldset>
  )
}

/** What only one kind of question has. */
function KindFields({ question, faults, onChange }: Pick<QuestionPartProps, 'question' | 'faults' | 'onChange'>) {
  const text = useText(linksTexts).asking
  if (question.kind === 'choice')
    return (
      <Field label={text.choices} hint={text.choicesHint} fault={faultOf(faults, question, 'choices', text)}>
        {(input) => (
          <textarea
            {...input}
            value={question.choices}
            rows={4}
            onInput={(event) => onChange({ choices: event.currentTarget.value })}
          />
        )}
      </Field>
    )
  if (question.kind !== 'text') return null
  return (
    <Field label={text.most} hint={text.mostHint} fault={faultOf(faults, question, 'most', text)}>
      {(input) => (
        <input
          {...input}
          type="number"
          min="1"
          step="1"
          inputMode="numeric"
          value={question.most}
          onInput={(event) => onChange({ most: event.currentTarget.value })}
        />
      )}
    </Field>
  )
}

function faultOf(
  { question: faulty }: AskedFaults,
  { id }: QuestionDraft,
  field: AskedField,
  { faults }: (typeof linksTexts)['en']['asking'],
): string | undefined {
  return faulty?.id === id && faulty.field === field ? faults[faulty.reason] : undefined
}
