/** The owner's lists in pages, while entries come and go. */
import type { OperationName } from '@blindkeep/protocol/operations'
import type { ProblemCode } from '@blindkeep/protocol/problems'
import type { ListOrder } from '@blindkeep/protocol/schemas/lists'
import { AnswerError, ProblemError } from './errors.ts'

/** No server can keep a client listing forever. */
const MAX_PAGES = 400

/** An entry has up to 9 KB, most have less than 2: the first page comes at once, and no page holds a tab up. */
const FIRST_PAGE = 50
const PAGE = 250

export interface ListOptions {
  /** `oldest` by default. */
  readonly order?: ListOrder | undefined
  readonly signal?: AbortSignal | undefined
}

interface PageSize {
  readonly pageEntries?: number
}

interface PagesOptions extends ListOptions, PageSize {
  /** Entries that the caller has, in this order: it gets those that come after them. */
  readonly known?: readonly string[] | undefined
}

export interface WholeListOptions<Item> extends ListOptions {
  /** Called with the items so far, before those of the next page are asked for. */
  readonly onPart?: ((items: readonly Item[]) => void) | undefined
}

export interface ListRequest {
  readonly query: { readonly limit: string; readonly order: ListOrder; readonly after?: string }
  readonly signal: AbortSignal | undefined
}

/** How a list is asked for. */
export interface List<Entry> {
  readonly operation: OperationName
  readonly ask: (request: ListRequest) => Promise<readonly Entry[]>
  readonly idOf: (entry: Entry) => string
  /** The answer to a page after an entry that has no place. */
  readonly gone: ProblemCode
}

/** Each entry once. Throws `AnswerError` for a page that is too long or repeats an entry, and for too many pages. */
export async function* listPages<Entry>(
  { operation, ask, idOf, gone }: List<Entry>,
  { order = 'oldest', known = [], signal, pageEntries = PAGE }: PagesOptions = {},
): AsyncGenerator<readonly Entry[], void, void> {
  const listed = new Set(known)
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const limit = pages === 0 ? Math.min(FIRST_PAGE, pageEntries) : pageEntries
    const places = [...listed]
    const { entries, isNext } = await pageAfter(places, gone, (after) =>
      ask({ query: { order, limit: String(limit), ...(after !== undefined && { after }) }, signal }),
    )
    if (entries.length > limit) throw new AnswerError(operation, `a page of ${limit} has ${entries.length} entries`)
    const fresh = new Map(entries.map((entry) => [idOf(entry), entry]))
    const isRepeated = fresh.size < entries.length || (isNext && [...fresh.keys()].some((id) => listed.has(id)))
    if (isRepeated) throw new AnswerError(operation, 'it lists an entry twice')
    for (const id of [...fresh.keys()]) {
      if (listed.delete(id)) fresh.delete(id)
      listed.add(id)
    }
    if (fresh.size > 0) yield [...fresh.values()]
    if (entries.length < limit) return
  }
  throw new AnswerError(operation, `it lists more than ${MAX_PAGES * pageEntries} entries`)
}

interface FoundPage<Entry> {
  readonly entries: readonly Entry[]
  /** Otherwise it begins after an earlier entry, and may repeat some. */
  readonly isNext: boolean
}

/** Entries may lose their places. If the last one has none, the page begins after an earlier one. */
async function pageAfter<Entry>(
  places: readonly string[],
  gone: ProblemCode,
  ask: (after: string | undefined) => Promise<readonly Entry[]>,
): Promise<FoundPage<Entry>> {
  for (let back = 1; back <= places.length; back *= 2)
    try {
      return { entries: await ask(places.at(-back)), isNext: back === 1 }
    } catch (error) {
      if (!(error instanceof ProblemError && error.code === gone)) throw error
    }
  return { entries: await ask(undefined), isNext: places.length === 0 }
}

/** All entries of a list, each as `make` makes it. */
export async function wholeList<Entry, Item>(
  list: List<Entry>,
  make: (entry: Entry) => Item | Promise<Item>,
  { onPart, ...options }: WholeListOptions<Item> & PageSize = {},
): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const page of listPages(list, options)) {
    for (const entry of page) items.push(await make(entry))
    onPart?.([...items])
  }
  return items
}
