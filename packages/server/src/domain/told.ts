/** Told one by one; what comes after is counted. A disk that is lost would otherwise fill the memory with words. */
export const TOLD_MOST = 10_000

/** A list for people. */
export interface Told<Item> {
  readonly list: readonly Item[]
  /** How many came after those. */
  readonly more: number
}

export interface Telling<Item> extends Told<Item> {
  add(item: Item): void
}

export function createTold<Item>(): Telling<Item> {
  const list: Item[] = []
  let more = 0
  return {
    list,
    get more() {
      return more
    },
    add(item) {
      if (list.length < TOLD_MOST) list.push(item)
      else more += 1
    },
  }
}
