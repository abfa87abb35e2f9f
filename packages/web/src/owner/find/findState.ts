/** What is looked for on a page. It stands in the page's address, so that reload and back keep it. */
import { asksNames, type FindQuery, isFileKind, isSortOrder, type SortOrder } from '@blindkeep/client/find'
import { goWithQuery, useRoute } from '../ground/route.ts'

export const SIZES = [1, 10, 100, 1000] as const
const BYTES_OF_MB = 1_000_000

/** Of files in the inbox; of links and shares. */
export const ONLY_FILES = ['new', 'unread'] as const
export const ONLY_OFFERS = ['open', 'over'] as const
const ONLY = [...ONLY_FILES, ...ONLY_OFFERS]
export type Only = (typeof ONLY)[number]

export interface FindState {
  readonly words: string
  readonly kind: FindQuery['kind']
  readonly sender: string
  /** Days as `2026-05-01`, or empty. `until` counts, too. */
  readonly since: string
  readonly until: string
  /** Megabytes: at least. */
  readonly larger: (typeof SIZES)[number] | undefined
  readonly only: Only | undefined
  /** The id of a link, or empty. */
  readonly link: string
  /** A question of links, or empty: only files whose answer has all words of `answer`. */
  readonly question: string
  readonly answer: string
  readonly sort: SortOrder
  /** A question of links, or empty: its answers come before `sort`. */
  readonly by: string
}

export const ALL: FindState = {
  words: '',
  kind: undefined,
  sender: '',
  since: '',
  until: '',
  larger: undefined,
  only: undefined,
  link: '',
  question: '',
  answer: '',
  sort: 'newest',
  by: '',
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

export function findStateIn(query: URLSearchParams): FindState {
  const [kind, sort] = [query.get('kind'), query.get('sort')]
  const day = (name: string) => (DAY.test(query.get(name) ?? '') ? (query.get(name) ?? '') : '')
  return {
    words: query.get('q') ?? '',
    kind: isFileKind(kind) ? kind : undefined,
    sender: query.get('from') ?? '',
    since: day('since'),
    until: day('until'),
    larger: SIZES.find((size) => String(size) === query.get('mb')),
    only: ONLY.find((only) => only === query.get('only')),
    link: query.get('link') ?? '',
    question: query.get('question') ?? '',
    answer: query.get('answer') ?? '',
    by: query.get('by') ?? '',
    sort: isSortOrder(sort) ? sort : 'newest',
  }
}

export function queryOf(state: FindState): string {
  const { words, kind, sender, since, until, larger, only, link, question, answer, sort, by } = state
  const members = {
    ...{ q: words, kind, from: sender, since, until, mb: larger, only, link, question, answer, by },
    sort: sort === 'newest' ? undefined : sort,
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(members))
    if (value !== undefined && value !== '') query.set(name, String(value))
  return String(query)
}

/** Days are those of the reader's time zone. */
export function findQueryOf({ words, kind, sender, since, until, larger }: FindState): FindQuery {
  return {
    ...{ words, kind, sender },
    sinceMs: dayStart(since),
    untilMs: dayStart(until, 1),
    largerThan: larger === undefined ? undefined : larger * BYTES_OF_MB,
  }
}

function dayStart(day: string, after = 0): number | undefined {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const at = day === '' ? Number.NaN : new Date(year, month - 1, date + after).getTime()
  return Number.isNaN(at) ? undefined : at
}

/** How many of the filters behind the button are in use. */
export function filtersIn(state: FindState): number {
  const { kind, sender, since, until, larger, only } = state
  const asked = asksAnswer(state) ? state.answer : undefined
  return [kind, sender, since, until, larger, only, asked].filter((value) => value !== undefined && value !== '').length
}

/** Whether an answer of the guest decides about a file. */
export function asksAnswer({ question, answer }: FindState): boolean {
  return question !== '' && answer.trim() !== ''
}

/** Whether files may be hidden. */
export function isFiltered(state: FindState): boolean {
  return state.words.trim() !== '' || filtersIn(state) > 0
}

/** Whether only the names of files answer. */
export function needsNames(state: FindState): boolean {
  return asksNames(findQueryOf(state)) || state.sort === 'name' || state.sort === 'sender' || needsHeaders(state)
}

/** Whether the index of names is not enough: it has no answers. */
export function needsHeaders(state: FindState): boolean {
  return asksAnswer(state) || state.by !== ''
}

export interface Finding {
  readonly state: FindState
  onState(change: Partial<FindState>): void
}

/** Of the page that is shown. */
export function useFinding(): Finding {
  const { query } = useRoute()
  const state = findStateIn(query)
  return { state, onState: (change) => goWithQuery(queryOf({ ...findStateIn(currentQuery()), ...change })) }
}

const currentQuery = () => new URLSearchParams(location.hash.split('?', 2)[1] ?? '')
