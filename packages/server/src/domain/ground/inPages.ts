import { setImmediate as turn } from 'node:timers/promises'

interface Page<Item, Place> {
  readonly items: readonly Item[]
  /** Where the following page begins; undefined after the last one. */
  readonly next: Place | undefined
}

/** Rows that are read at once: few enough that other requests do not wait for them. */
export const PAGE_ROWS = 100

/** Reads a long list in pages: others are served in between. What is there all the time is in the list once. */
export async function inPages<Item, Place>(
  read: (after: Place | undefined) => Promise<Page<Item, Place>>,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let after: Place | undefined
  do {
    if (after !== undefined) await turn()
    const page = await read(after)
    items.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return items
}
