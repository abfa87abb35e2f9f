import { type Findable, finderOf, sortedBy } from '@blindkeep/client/find'
import { type FindState, findQueryOf, isFiltered } from './findState.ts'

/** What matches, in the wanted order. `items` come with the newest first; the same array when it shows all of them. */
export function foundIn<Item>(
  items: readonly Item[],
  state: FindState,
  findable: (item: Item) => Findable,
): readonly Item[] {
  const isFound = finderOf(findQueryOf(state))
  const found = isFiltered(state) ? items.filter((item) => isFound(findable(item))) : items
  return state.sort === 'newest' ? found : sortedBy(found, state.sort, findable)
}

/** Those that are open, or over, if only these are wanted. */
export function offersOf<Item>(
  items: readonly Item[],
  { only }: FindState,
  isOver: (item: Item) => boolean,
): readonly Item[] {
  return only === 'open' || only === 'over' ? items.filter((item) => isOver(item) === (only === 'over')) : items
}
