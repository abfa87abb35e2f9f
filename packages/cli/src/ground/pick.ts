/** What a person means by an id, its beginning, or a name. */
import { LocalError } from './exits.ts'
import { shown } from './texts.ts'

export interface Picking<Item> {
  /** What they are, for messages: `album`. */
  readonly what: string
  /** The command that lists them. */
  readonly listedBy: string
  readonly id: (item: Item) => string
  /** A name that may be given instead. Several items may have the same. */
  readonly name?: ((item: Item) => string | undefined) | undefined
}

/** Shorter ones are mistyped more often than meant. */
const MIN_ID_LENGTH = 4

/** All items that `given` means. */
export function meantBy<Item>(
  items: readonly Item[],
  given: string,
  { id, name }: Pick<Picking<Item>, 'id' | 'name'>,
): readonly Item[] {
  const begin = given.toLowerCase()
  const whole = items.filter((item) => id(item) === begin || name?.(item) === given)
  return whole.length > 0 || given.length < MIN_ID_LENGTH ? whole : items.filter((item) => id(item).startsWith(begin))
}

/** The only item that `given` means. Throws `LocalError` if there is none, or more than one. */
export function pick<Item>(items: readonly Item[], given: string, { what, listedBy, id, name }: Picking<Item>): Item {
  const found = meantBy(items, given, { id, name })
  const [one, ...others] = found
  if (one === undefined) throw new LocalError(`There is no ${what} ${shown(given)}. Call: blindkeep ${listedBy}`)
  if (others.length > 0) {
    const ids = found.map(id).join(', ')
    throw new LocalError(`${shown(given)} means ${found.length} of them. Give the id of one: ${ids}`)
  }
  return one
}
