/** Lists of an account: whole, or a page of them. */
import type { ListOrder } from '@blindkeep/protocol/schemas/lists'
import type { Page, PageQuestion, Place, ReadTx, Store } from '../../ports/store.ts'
import { inPages, PAGE_ROWS } from './inPages.ts'
import type { Refusal } from './refusals.ts'

/** Without anything: the whole list, oldest first. */
export interface ListQuestion<Id> {
  /** The entry after which it begins. */
  readonly after?: Id | undefined
  readonly max?: number | undefined
  readonly order?: ListOrder | undefined
}

interface ListParts<Owner, Id, Row, Gone> {
  /** The noun that has the list. */
  readonly rows: (tx: ReadTx) => {
    readonly page: (owner: Owner, question: PageQuestion) => Promise<Page<Row>>
    readonly placeOf: (owner: Owner, id: Id) => Promise<Place | undefined>
  }
  /** The answer to a page after an entry that has no place. */
  readonly gone: Gone
}

interface MadeParts<Owner, Id, Row, Gone, Item> extends ListParts<Owner, Id, Row, Gone> {
  /** Called with a few rows at a time. */
  readonly make: (rows: readonly Row[], owner: Owner) => Promise<readonly Item[]> | readonly Item[]
}

/** A list of rows as they are. */
export function listOf<Owner, Id, Row, Gone extends Refusal>(store: Store, parts: ListParts<Owner, Id, Row, Gone>) {
  return listMadeOf(store, { ...parts, make: (rows: readonly Row[]) => rows })
}

export function listMadeOf<Owner, Id, Row, Item, Gone extends Refusal>(
  store: Store,
  { rows: listed, gone, make }: MadeParts<Owner, Id, Row, Gone, Item>,
) {
  function list(owner: Owner): Promise<readonly Item[]>
  function list(owner: Owner, question: ListQuestion<Id>): Promise<readonly Item[] | Gone>
  async function list(
    owner: Owner,
    { after: id, max = Number.POSITIVE_INFINITY, order }: ListQuestion<Id> = {},
  ): Promise<readonly Item[] | Gone> {
    const begin = id === undefined ? undefined : await store.ask((tx) => listed(tx).placeOf(owner, id))
    if (id !== undefined && begin === undefined) return gone
    let left = max
    return inPages(async (after: Place | undefined = begin) => {
      const question = { after, max: Math.min(PAGE_ROWS, left), order }
      const { rows, next } = await store.ask((tx) => listed(tx).page(owner, question))
      left -= rows.length
      return { items: await make(rows, owner), next: left > 0 ? next : undefined }
    })
  }
  return list
}
