/**
 * Single keys for lists. An element says by `aria-keyshortcuts` which key presses it, so what assistive technology
 * announces is what happens. The bar of what is chosen comes first, then the row that has the focus.
 */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const OFF = 'blindkeep.keysOff'
/** Marks what gets the focus in a row. */
const ROW = '[data-row]'
const FIELDS = 'input:not([type=checkbox]), select, textarea, [contenteditable]'
const NEXT: Readonly<Record<string, number>> = { j: 1, k: -1 }
/** Elsewhere they scroll. */
const NEXT_IN_LIST: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

const listeners = new Set<() => void>()

/** In this browser (WCAG 2.1.4: people who speak to their computer turn them off). */
function areKeysOn(): boolean {
  try {
    return localStorage.getItem(OFF) === null
  } catch {
    return true
  }
}

export function turnKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(OFF)
    else localStorage.setItem(OFF, '1')
  } catch {
    // A browser that stores nothing has them.
  }
  for (const listener of listeners) listener()
}

export function useKeysOn(): boolean {
  const [isOn, setOn] = useState(areKeysOn)
  useEffect(() => {
    const update = () => setOn(areKeysOn())
    listeners.add(update)
    return () => void listeners.delete(update)
  }, [])
  return isOn
}

/** Gives the value of `aria-keyshortcuts`, unless the keys are off. */
export function useKeys(): (keys: string) => string | undefined {
  const isOn = useKeysOn()
  return (keys) => (isOn ? keys : undefined)
}

/** The keys of the list in this part of the page, while no field and no dialog has the focus. */
export function useListKeys(part: RefObject<HTMLElement | null>): void {
  const latest = useRef(part)
  latest.current = part
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { current } = latest.current
      if (current !== null && areKeysOn() && !isTyped(event) && press(current, event.key)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

function isTyped({ defaultPrevented, ctrlKey, altKey, metaKey, target }: KeyboardEvent): boolean {
  const isField = target instanceof Element && target.matches(FIELDS)
  return defaultPrevented || ctrlKey || altKey || metaKey || isField || document.querySelector('dialog[open]') !== null
}

/** Whether the key means something here. */
function press(part: HTMLElement, key: string): boolean {
  const row = document.activeElement?.closest('[data-drop], .tile')
  const isInList = row !== null && row !== undefined && part.contains(row)
  const step = NEXT[key] ?? (isInList ? NEXT_IN_LIST[key] : undefined)
  if (step !== undefined) return move(part, isInList ? row : undefined, step)
  // `e`, and `Delete`, and `?`
  const name = key.length === 1 ? key.toUpperCase() : key
  const named = `[aria-keyshortcuts~="${CSS.escape(name)}"]:not(:disabled)`
  const pressed =
    part.querySelector<HTMLElement>(`:is([data-bar], [data-bar] *)${named}`) ??
    (isInList ? row.querySelector<HTMLElement>(named) : null)
  pressed?.click()
  return pressed !== null
}

function move(part: HTMLElement, row: Element | undefined, step: number): boolean {
  const all = [...part.querySelectorAll<HTMLElement>(ROW)]
  const from = row === undefined ? -1 : all.findIndex((each) => row.contains(each))
  const next = from === -1 ? all[0] : all[from + step]
  next?.focus()
  return next !== undefined
}
