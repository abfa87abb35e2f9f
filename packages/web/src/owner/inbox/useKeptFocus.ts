/** Keeps the focus in the list while rows come, go and move. Otherwise the keyboard would start at the top of the document. */
import { useEffect, useRef } from 'preact/hooks'
import type { InboxEntry } from './batches.ts'

const CONTROLS = 'input, button'

interface Place {
  readonly dropId: string | undefined
  /** Which of the controls of its row. */
  readonly control: number
}

/**
 * A row whose name was read may move into its batch, as another element: its control gets the focus again, or that of the batch if the row is folded away.
 * When the row has left the inbox, the heading gets it.
 */
export function useKeptFocus(entries: readonly InboxEntry[]) {
  const part = useRef<HTMLDivElement>(null)
  const last = useRef<Place>(undefined)
  useEffect(() => {
    const update = () => {
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
  return { dropId: row?.dataset.drop, control: [...(row?.querySelectorAll(CONTROLS) ?? [])].indexOf(focused) }
}

function controlAt(part: Element, { dropId, control }: Place, entries: readonly InboxEntry[]): HTMLElement | undefined {
  if (dropId === undefined) return undefined
  const row = part.querySelector(`[data-drop="${dropId}"]`)
  const controls = row?.querySelectorAll<HTMLElement>(CONTROLS)
  if (controls !== undefined) return controls[control] ?? controls[0]
  for (const entry of entries)
    if (entry.is === 'batch' && entry.batch.items.some((item) => item.dropId === dropId))
      return part.querySelector<HTMLElement>(`[data-batch="${entry.batch.key}"] input`) ?? undefined
  return undefined
}
