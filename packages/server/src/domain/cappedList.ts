/** CappedList one by one; what comes after is counted. A disk that is lost would otherwise fill the memory with words. */
export const MAX_LISTED = 10_000

/** A list for people. */
export interface CappedList<Item> {
  readonly list: readonly Item[]
  /** How many came after those. */
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
