/** Which files of the inbox are shown: those of a link, and what matches a search, in the wanted order. */
import type { Findable } from '@blindkeep/client/find'
import { keyOfDrop } from '@blindkeep/client/findIndex'
import { useEffect, useMemo } from 'preact/hooks'
import { type FindState, isFiltered, needsNames } from '../find/findState.ts'
import { foundIn } from '../find/found.ts'
import type { NameIndex } from '../find/nameIndex.ts'
import { useNames } from '../find/useNames.ts'
import { type Reading, useReading } from '../find/useReading.ts'
import { entriesOf, type InboxEntry } from './batches.ts'
import { isUnread, type ListedDrop } from './dropList.ts'
import type { InboxDrops } from './inboxDrops.ts'
import { ALL_LINKS, type LinkLabels } from './linkFilter.tsx'
import { sizeOf } from './texts.ts'
import { markOf } from './useVisit.ts'
import type { VisitView } from './visits.ts'

interface FindDrops {
  readonly inbox: InboxDrops
  readonly drops: readonly ListedDrop[]
  readonly labels: LinkLabels
  readonly state: FindState
  readonly view: VisitView
}

interface FoundDrops {
  /** Those of the chosen link. */
  readonly ofLink: readonly ListedDrop[]
  readonly shown: readonly ListedDrop[]
  readonly entries: readonly InboxEntry[]
  readonly reading: Reading
}

export function useFoundDrops({ inbox, drops, labels, state, view }: FindDrops): FoundDrops {
  const { names, isLoaded } = useNames()
  useEffect(() => {
    for (const drop of drops) if (drop.file !== undefined) names.note(keyOfDrop(drop), drop.file)
  }, [names, drops])
  const ofLink = useMemo(
    () => (state.link === ALL_LINKS ? drops : drops.filter(({ opaqueId }) => opaqueId === state.link)),
    [drops, state.link],
  )
  const shown = useMemo(
    () => foundDrops(ofLink, state, { names, labels, view }),
    [ofLink, JSON.stringify(state), names, isLoaded, labels, state.only && view],
  )
  const isListOrder = !isFiltered(state) && state.sort === 'newest'
  // Files of a batch that match stand for themselves: the rest of it is hidden.
  const entries = useMemo(
    () => (isListOrder ? entriesOf(shown) : shown.map((item) => ({ is: 'drop', item }) as const)),
    [shown, isListOrder],
  )
  const reading = useReading({
    items: ofLink,
    isKnown: (drop) => !isUnread(drop) || names.get(keyOfDrop(drop)) !== undefined,
    read: (drop, signal) => readName(inbox, drop, signal),
    isWanted: isLoaded && needsNames(state),
  })
  return { ofLink, shown, entries, reading }
}

interface FoundIn extends Pick<FindDrops, 'labels' | 'view'> {
  readonly names: NameIndex
}

function foundDrops(
  drops: readonly ListedDrop[],
  state: FindState,
  { names, labels, view }: FoundIn,
): readonly ListedDrop[] {
  const { only } = state
  const findable = (drop: ListedDrop): Findable => {
    const file = drop.file ?? names.get(keyOfDrop(drop))
    return { file, also: labels(drop.opaqueId), size: file?.size ?? sizeOf(drop), at: drop.receivedAt }
  }
  const isOf = (drop: ListedDrop) => {
    const mark = only && markOf(view, drop)
    return mark === only || (only === 'unread' && mark === 'new')
  }
  return foundIn(only === undefined ? drops : drops.filter(isOf), state, findable)
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
