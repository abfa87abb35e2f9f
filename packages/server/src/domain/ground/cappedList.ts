export const MAX_LISTED = 10_000

/** A list for people that keeps the first items and counts the rest. A lost disk has more faults than fit in memory. */
export interface CappedList<Item> {
  readonly list: readonly Item[]
  /** Items that are only counted. */
  readonly more: number
}

export interface CappedListBuilder<Item> extends CappedList<Item> {
  add(item: Item): void
}

export function createCappedList<Item>(): CappedListBuilder<Item> {
  const list: Item[] = []
  let more = 0
  return {
    list,
    get more() {
      return more
    },
    add(item) {
      if (list.length < MAX_LISTED) list.push(item)
      else more += 1
    },
  }
}
