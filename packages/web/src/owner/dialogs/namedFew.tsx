/** Names what a question is about: the first ones, and how many more there are. */
import type { ComponentChildren } from 'preact'

/** More names would push the question out of sight. */
const MAX_NAMED = 5

interface NamedFewProps<Item> {
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** The name of one. */
  readonly children: (item: Item) => ComponentChildren
}

export function NamedFew<Item>({ items, keyOf, children }: NamedFewProps<Item>) {
  return (
    <ul class="named">
      {items.slice(0, MAX_NAMED).map((item) => (
        <li key={keyOf(item)}>{children(item)}</li>
      ))}
      {items.length > MAX_NAMED && <li class="soft">+ {items.length - MAX_NAMED}</li>}
    </ul>
  )
}
