/** The one toolbar over lists: search, filters, order, and what they have found. */
import { FILE_KINDS, type SortOrder } from '@blindkeep/client/find'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { findTexts } from '../ground/texts.ts'
import { ALL, type Finding, filtersIn, isFiltered, ONLY_FILES, ONLY_OFFERS, type Only, SIZES } from './findState.ts'
import type { Reading } from './useReading.ts'
import './find.css'

interface FindBarProps extends Finding {
  readonly what: keyof (typeof findTexts)['en']['search']
  /** Of these orders one is chosen. */
  readonly orders?: readonly SortOrder[] | undefined
  /** `files`: kind, sender, date, size. `inbox`: also what is new or unread. `offers`: date, and whether it is over. */
  readonly filters?: 'files' | 'inbox' | 'offers' | undefined
  /** Questions whose answers the files may be found and ordered by. */
  readonly questions?: readonly string[] | undefined
  /** Of the chosen question: its answer is one of them. Undefined: words. */
  readonly choices?: readonly string[] | undefined
  /** How many are shown, of how many. */
  readonly shown: number
  readonly of: number
  readonly reading?: Reading | undefined
  /** More controls of this list. */
  readonly children?: ComponentChildren
}

/** A shorter list is seen at a glance. */
const SHOWN_FROM = 8

export function FindBar(props: FindBarProps) {
  const { state } = props
  const isUsed = isFiltered(state) || state.sort !== ALL.sort || state.by !== ''
  return props.of < SHOWN_FROM && !isUsed && (props.questions ?? []).length === 0 ? null : <Bar {...props} />
}

function Bar(props: FindBarProps) {
  const { what, orders, filters, questions = [], choices, state, onState, shown, of, reading, children } = props
  const text = useText(findTexts)
  const id = useId()
  const used = filtersIn(state)
  const [isOpen, setOpen] = useState(used > 0)
  return (
    <search class="find-bar stack tight">
      <div class="find-main">
        <Words label={text.search[what]} hint={text.key} words={state.words} onWords={(words) => onState({ words })} />
        {filters !== undefined && (
          <Button kind="quiet" expands={{ id, isExpanded: isOpen }} onClick={() => setOpen(!isOpen)}>
            {text.filters(used)}
          </Button>
        )}
        {orders !== undefined && (
          <Choice
            label={text.sort}
            value={state.by === '' ? state.sort : `${BY}${state.by}`}
            options={[
              ...orders.map((order) => [order, text.orders[order]] as const),
              ...withUsed(questions, state.by).map((label) => [`${BY}${label}`, label] as const),
            ]}
            onChoose={(chosen) =>
              onState(
                chosen.startsWith(BY)
                  ? { by: chosen.slice(BY.length) }
                  : { by: '', sort: orders.find((order) => order === chosen) ?? ALL.sort },
              )
            }
          />
        )}
        {children}
      </div>
      <div id={id} class="find-filters" hidden={!isOpen || filters === undefined}>
        {isOpen && filters !== undefined && <Filters {...{ state, onState, filters, questions, choices }} />}
      </div>
      <Found {...{ state, onState, shown, of, reading }} />
    </search>
  )
}

/** Before a question among the orders: it may have their names. */
const BY = 'by '

/** The one of the page's address is there, too, before its link is, or its file is read. */
function withUsed(offered: readonly string[], used: string): readonly string[] {
  return used === '' || offered.includes(used) ? offered : [...offered, used]
}

/** What is typed counts once nothing has been typed for this time. */
const TYPED_MS = 150

/** What stands in a field, and how it changes. `onGiven` gets it a little later. */
function useTyped(given: string, onGiven: (typed: string) => void) {
  const [typed, setTyped] = useState(given)
  const latest = useRef(onGiven)
  latest.current = onGiven
  // What comes back of this field's own text comes late: more may be typed by then.
  const sent = useRef(given)
  useEffect(() => {
    if (given === sent.current) return
    sent.current = given
    setTyped(given)
  }, [given])
  useEffect(() => {
    if (typed === given) return undefined
    const timer = setTimeout(() => {
      sent.current = typed
      latest.current(typed)
    }, TYPED_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return {
    value: typed,
    autocomplete: 'off',
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => setTyped(event.currentTarget.value),
  }
}

interface WordsProps {
  readonly label: string
  readonly hint: string
  readonly words: string
  readonly onWords: (words: string) => void
}

function Words({ label, hint, words, onWords }: WordsProps) {
  const input = useRef<HTMLInputElement>(null)
  const typed = useTyped(words, onWords)
  useSlash(input)
  return (
    <label class="find-words">
      <span class="visually-hidden">{label}</span>
      <Icon name="search" />
      <input
        {...typed}
        ref={input}
        type="search"
        placeholder={label}
        title={hint}
        aria-keyshortcuts="/"
        maxLength={200}
        spellcheck={false}
      />
    </label>
  )
}

/** The key `/` leads to the search, unless it is typed into a field. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event
      const isTyping = target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]')
      const isBehind = document.querySelector('dialog[open]')?.contains(input.current) === false
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping || isBehind) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly onChoose: (value: string) => void
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <label class="find-choice">
      <span class="small soft">{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

interface FiltersProps extends Finding {
  readonly filters: NonNullable<FindBarProps['filters']>
  readonly questions: readonly string[]
  readonly choices: FindBarProps['choices']
}

function Filters({ state, onState, filters, questions, choices }: FiltersProps) {
  const text = useText(findTexts)
  const states: readonly Only[] = filters === 'offers' ? ONLY_OFFERS : ONLY_FILES
  return (
    <>
      {filters !== 'files' && (
        <Choice
          label={text.only}
          value={state.only ?? ''}
          options={[['', text.all], ...states.map((only) => [only, text.onlyThese[only]] as const)]}
          onChoose={(chosen) => onState({ only: states.find((only) => only === chosen) })}
        />
      )}
      {filters !== 'offers' && <KindAndSender {...{ state, onState }} />}
      <Given label={text.since} type="date" value={state.since} onGiven={(since) => onState({ since })} />
      <Given label={text.until} type="date" value={state.until} onGiven={(until) => onState({ until })} />
      {filters !== 'offers' && <Size {...{ state, onState }} />}
      {(questions.length > 0 || state.question !== '') && <Answer {...{ state, onState, questions, choices }} />}
    </>
  )
}

function KindAndSender({ state, onState }: Finding) {
  const text = useText(findTexts)
  return (
    <>
      <Choice
        label={text.kind}
        value={state.kind ?? ''}
        options={[['', text.anyKind], ...FILE_KINDS.map((kind) => [kind, text.kinds[kind]] as const)]}
        onChoose={(chosen) => onState({ kind: FILE_KINDS.find((kind) => kind === chosen) })}
      />
      <Given label={text.sender} type="text" value={state.sender} onGiven={(sender) => onState({ sender })} />
    </>
  )
}

function Answer({ state, onState, questions, choices }: Omit<FiltersProps, 'filters'>) {
  const text = useText(findTexts)
  return (
    <>
      <Choice
        label={text.question}
        value={state.question}
        options={[
          ['', text.noQuestion],
          ...withUsed(questions, state.question).map((label) => [label, label] as const),
        ]}
        onChoose={(question) => onState({ question, answer: '' })}
      />
      {state.question !== '' && choices === undefined && (
        <Given label={text.answer} type="text" value={state.answer} onGiven={(answer) => onState({ answer })} />
      )}
      {state.question !== '' && choices !== undefined && (
        <Choice
          label={text.choice}
          value={state.answer}
          options={[['', text.anyAnswer], ...withUsed(choices, state.answer).map((said) => [said, said] as const)]}
          onChoose={(answer) => onState({ answer })}
        />
      )}
    </>
  )
}

function Size({ state, onState }: Finding) {
  const text = useText(findTexts)
  const format = useText(formats)
  return (
    <Choice
      label={text.larger}
      value={String(state.larger ?? '')}
      options={[
        ['', text.anySize],
        ...SIZES.map((size) => [String(size), text.atLeast(format.bytes(size * 1_000_000))] as const),
      ]}
      onChoose={(chosen) => onState({ larger: SIZES.find((size) => String(size) === chosen) })}
    />
  )
}

interface GivenProps {
  readonly label: string
  readonly type: 'text' | 'date'
  readonly value: string
  readonly onGiven: (value: string) => void
}

function Given({ label, type, value, onGiven }: GivenProps) {
  const id = useId()
  const input = { ...useTyped(value, onGiven), id }
  return (
    <div class="find-choice">
      <label for={id} class="small soft">
        {label}
      </label>
      {type === 'date' ? <input {...input} type="date" /> : <input {...input} type="text" maxLength={200} />}
    </div>
  )
}

/** Screen readers hear how many were found, not how many names are left to read. */
function Found({ state, onState, shown, of, reading }: Finding & Pick<FindBarProps, 'shown' | 'of' | 'reading'>) {
  const text = useText(findTexts)
  const isOn = isFiltered(state)
  const { left = 0 } = reading ?? {}
  return (
    <div class="find-found">
      <p class="small" role="status">
        {isOn && (shown === 0 && left === 0 ? text.none : text.found(shown, of))}
      </p>
      {isOn && (
        <Button kind="quiet" onClick={() => onState({ ...ALL, sort: state.sort, by: state.by, link: state.link })}>
          {text.clear}
        </Button>
      )}
      {left > 0 && (
        <p class="small soft row">
          {reading?.isOn === true && <span class="spinner" aria-hidden="true" />}
          {reading?.isOn === true ? text.reading(left) : text.unread(left)}
        </p>
      )}
      {left > 0 && reading?.isOn === false && <Button onClick={reading.onStart}>{text.readThem}</Button>}
    </div>
  )
}
