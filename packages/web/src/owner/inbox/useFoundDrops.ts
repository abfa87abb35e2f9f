/** Which files of the inbox are shown: those of a link, and what matches a search, in the wanted order. */
import { type Findable, sortedByAnswer } from '@blindkeep/client/find'
import { keyOfDrop } from '@blindkeep/client/findIndex'
import { answerTo } from '@blindkeep/client/questions'
import { useEffect, useMemo } from 'preact/hooks'
import { asksAnswer, type FindState, isFiltered, needsHeaders, needsNames } from '../find/findState.ts'
import { foundIn } from '../find/found.ts'
import type { NameIndex } from '../find/nameIndex.ts'
import { useNames } from '../find/useNames.ts'
import { type Reading, useReading } from '../find/useReading.ts'
import { choicesOf, isAnsweredBy, questionsOf } from './answers.ts'
import { entriesOf, type InboxEntry } from './batches.ts'
import { isUnread, type ListedDrop } from './dropList.ts'
import { sizeOf } from './dropTexts.ts'
import type { InboxDrops } from './inboxDrops.ts'
import { ALL_LINKS, type InboxLinks } from './linkFilter.tsx'
import { markOf } from './useVisit.ts'
import type { VisitView } from './visits.ts'

interface FindDrops {
  readonly inbox: InboxDrops
  readonly drops: readonly ListedDrop[]
  readonly links: InboxLinks
  readonly state: FindState
  readonly view: VisitView
}

interface FoundDrops {
  /** Those of the chosen link. */
  readonly ofLink: readonly ListedDrop[]
  readonly shown: readonly ListedDrop[]
  readonly entries: readonly InboxEntry[]
  readonly reading: Reading
  /** To find files by. */
  readonly questions: readonly string[]
  /** Of the question whose answers are looked for, if it has choices. */
  readonly choices: readonly string[] | undefined
}

export function useFoundDrops({ inbox, drops, links, state, view }: FindDrops): FoundDrops {
  const { names, isLoaded } = useNames()
  useEffect(() => {
    for (const drop of drops) if (drop.file !== undefined) names.note(keyOfDrop(drop), drop.file)
  }, [names, drops])
  const ofLink = useMemo(
    () => (state.link === ALL_LINKS ? drops : drops.filter(({ opaqueId }) => opaqueId === state.link)),
    [drops, state.link],
  )
  const choices = useMemo(
    () => (state.question === '' ? undefined : choicesOf(state.question, ofLink, links.askedOf)),
    [state.question, ofLink, links.askedOf],
  )
  const shown = useMemo(
    () => foundDrops(ofLink, state, { names, links, view, choices }),
    [ofLink, JSON.stringify(state), names, isLoaded, links.labels, state.only && view, choices],
  )
  const isListOrder = !isFiltered(state) && state.sort === 'newest' && state.by === ''
  // Files of a batch that match stand for themselves: the rest of it is hidden.
  const entries = useMemo(
    () => (isListOrder ? entriesOf(shown) : shown.map((item) => ({ is: 'drop', item }) as const)),
    [shown, isListOrder],
  )
  const reading = useReading({
    items: ofLink,
    isKnown: (drop) => !isUnread(drop) || (!needsHeaders(state) && names.get(keyOfDrop(drop)) !== undefined),
    read: (drop, signal) => readName(inbox, drop, signal),
    isWanted: isLoaded && needsNames(state),
  })
  const questions = useMemo(() => questionsOf(ofLink, links.askedOf), [ofLink, links.askedOf])
  return { ofLink, shown, entries, reading, questions, choices }
}

interface FoundIn extends Pick<FindDrops, 'links' | 'view'>, Pick<FoundDrops, 'choices'> {
  readonly names: NameIndex
}

function foundDrops(
  drops: readonly ListedDrop[],
  state: FindState,
  { names, links, view, choices }: FoundIn,
): readonly ListedDrop[] {
  const { only } = state
  const findable = (drop: ListedDrop): Findable => {
    const file = drop.file ?? names.get(keyOfDrop(drop))
    return { file, also: links.labels(drop.opaqueId), size: file?.size ?? sizeOf(drop), at: drop.receivedAt }
  }
  const isOf = (drop: ListedDrop) => {
    const mark = only && markOf(view, drop)
    return mark === only || (only === 'unread' && mark === 'new')
  }
  const ofState = only === undefined ? drops : drops.filter(isOf)
  const isAnswered = asksAnswer(state) ? isAnsweredBy(state.answer, choices) : undefined
  const answered =
    isAnswered === undefined
      ? ofState
      : ofState.filter(({ file }) => isAnswered(answerTo(file?.fields, state.question)))
  const found = foundIn(answered, state, findable)
  return state.by === '' ? found : sortedByAnswer(found, state.by, ({ file }) => file?.fields)
}

function readName(inbox: InboxDrops, drop: ListedDrop, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let release: () => void = () => undefined
    const end = () => {
      release()
      resolve()
    }
    // A name that is there already calls back before it returns.
    release = inbox.readName(drop, () => queueMicrotask(end))
    signal.addEventListener('abort', end, { once: true })
  })
}
