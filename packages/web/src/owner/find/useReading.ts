/** Reads the names that a search needs and this browser does not know, a few at once, while it is wanted. */
import { useEffect, useRef, useState } from 'preact/hooks'

/** As in a list that is scrolled through; one request is left for what the owner does meanwhile. */
const MAX_AT_ONCE = 3
/** More are read only when the owner says so: each is a request or two. */
export const READ_UNASKED = 2_000
/** A thousand names must not draw the page a thousand times. */
const REDRAW_MS = 250

export interface Reading {
  /** How many names are not known yet. */
  readonly left: number
  readonly isOn: boolean
  /** The owner wants all of them. */
  readonly onStart: () => void
}

interface ReadingPorts<Item extends object> {
  /** All files of the search. */
  readonly items: readonly Item[]
  readonly isKnown: (item: Item) => boolean
  /** Resolves when the name is known, or cannot be read. */
  readonly read: (item: Item, signal: AbortSignal) => Promise<unknown>
  /** What it is read for. While it is false, nothing is read. */
  readonly isWanted: boolean
}

export function useReading<Item extends object>(ports: ReadingPorts<Item>): Reading {
  const { items, isKnown, isWanted } = ports
  const latest = useRef(ports)
  latest.current = ports
  const done = useRef(new WeakSet<Item>())
  const [isAsked, setAsked] = useState(false)
  const [, redraw] = useState(0)
  const left = isWanted ? items.filter((item) => !isKnown(item) && !done.current.has(item)).length : 0
  const isOn = left > 0 && (isAsked || left <= READ_UNASKED)
  useEffect(() => {
    if (!isOn) return undefined
    const stopped = new AbortController()
    void readAll(latest, done.current, stopped.signal)
    const timer = setInterval(() => redraw((count) => count + 1), REDRAW_MS)
    return () => {
      clearInterval(timer)
      stopped.abort()
    }
  }, [isOn])
  return { left, isOn, onStart: () => setAsked(true) }
}

async function readAll<Item extends object>(
  latest: { readonly current: ReadingPorts<Item> },
  done: WeakSet<Item>,
  signal: AbortSignal,
): Promise<void> {
  const begun = new WeakSet<Item>()
  let [items, at] = [latest.current.items, 0]
  const next = (): Item | undefined => {
    if (items !== latest.current.items) [items, at] = [latest.current.items, 0]
    for (; at < items.length; at++) {
      const item = items[at]
      if (item !== undefined && !begun.has(item) && !done.has(item) && !latest.current.isKnown(item)) return item
    }
    return undefined
  }
  const work = async () => {
    for (let item = next(); item !== undefined && !signal.aborted; item = next()) {
      begun.add(item)
      await latest.current.read(item, signal).catch(() => undefined)
      // What was stopped is not known to fail.
      if (!signal.aborted) done.add(item)
    }
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work))
}
