/** Keeps the focus in the list while rows come, go and move; the keyboard would start at the top. */
import { useEffect, useRef } from 'preact/hooks'
import type { InboxEntry } from './batches.ts'

const CONTROLS = 'input, button'

interface Place {
  readonly dropId: string | undefined
  /** Which of the rows. */
  readonly position: number
  /** Which of the controls of its row. */
  readonly control: number
}

/**
 * A row whose name was read may move into its batch, as another element: its control gets the focus again, or that of
 * the batch if the row is folded away. When the row has left the inbox, the row that has taken its place gets it, and
 * the heading when there is none.
 */
export function useKeptFocus(entries: readonly InboxEntry[]) {
  const part = useRef<HTMLDivElement>(null)
  const last = useRef<Place>(undefined)
  useEffect(() => {
    const update = () => {
      // A dialog is about the row from which it was opened.
      if (document.activeElement?.closest('dialog')) return
      last.current = part.current === null ? undefined : placeOf(part.current, document.activeElement)
    }
    document.addEventListener('focusin', update)
    return () => document.removeEventListener('focusin', update)
  }, [])
  useEffect(() => {
    const place = last.current
    if (part.current === null || place === undefined || document.activeElement !== document.body) return
    const found = controlAt(part.current, place, entries) ?? part.current.querySelector<HTMLElement>('h1')
    found?.focus()
  }, [entries])
  return part
}

function placeOf(part: Element, focused: Element | null): Place | undefined {
  if (focused === null || !part.contains(focused)) return undefined
  const row = focused.closest<HTMLElement>('[data-drop]')
  const position = row === null ? -1 : rowsOf(part).indexOf(row)
  return { dropId: row?.dataset.drop, position, control: [...(row?.querySelectorAll(CONTROLS) ?? [])].indexOf(focused) }
}

const rowsOf = (part: Element) => [...part.querySelectorAll<HTMLElement>('[data-drop]')]

function controlAt(part: Element, place: Place, entries: readonly InboxEntry[]): HTMLElement | undefined {
  const { dropId, position, control } = place
  if (dropId === undefined) return undefined
  const rows = rowsOf(part)
  const row = rows.find(({ dataset }) => dataset.drop === dropId)
  if (row !== undefined) return controlIn(row, control)
  for (const entry of entries)
    if (entry.is === 'batch' && entry.batch.items.some((item) => item.dropId === dropId))
      return part.querySelector<HTMLElement>(`[data-batch="${entry.batch.key}"] input`) ?? undefined
  const next = rows[position] ?? rows.at(-1)
  return next && controlIn(next, control)
}

function controlIn(row: HTMLElement, control: number): HTMLElement | undefined {
  const controls = row.querySelectorAll<HTMLElement>(CONTROLS)
  return controls[control] ?? controls[0]
}
