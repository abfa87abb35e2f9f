/** Keeps the keyboard's place in lists: when a row leaves with its control, the next row or the heading has it. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A part of a page that says otherwise where its focus goes. */
export const OWN_FOCUS = { 'data-own-focus': '' } as const

const CONTROLS = 'a[href], button, input, select, textarea, summary'

interface Place {
  readonly control: HTMLElement
  readonly list: Element | undefined
  /** Which of the list's rows, and which of the controls of that row. */
  readonly row: number
  readonly position: number
  /** What is around the control, from the inside out. */
  readonly around: readonly Element[]
}

/** Call it once for the part that stays. Dialogs do not count: they are about the row that opened them. */
export function useKeptPlace(within: RefObject<HTMLElement | null>): void {
  const last = useRef<Place>(undefined)
  useEffect(() => {
    const root = within.current
    if (root === null) return
    const take = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && target.closest('dialog') === null)
        last.current = root.contains(target) ? placeOf(target) : undefined
    }
    const leave = ({ target, relatedTarget }: FocusEvent) => {
      // Some browsers send the event before they remove the control, so check afterwards.
      queueMicrotask(() => {
        const control = last.current?.control
        if (control !== undefined && target === control && relatedTarget === null && canTakeFocus(control))
          last.current = undefined
      })
    }
    const restore = () => {
      const place = last.current
      if (place === undefined || document.activeElement !== document.body) return
      // A control that is disabled while its work runs loses the focus, and gets it back.
      if (place.control.isConnected) place.control.focus()
      else focusIn(place)
    }
    document.addEventListener('focusin', take)
    document.addEventListener('focusout', leave)
    const observer = new MutationObserver(restore)
    observer.observe(root, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', take)
      document.removeEventListener('focusout', leave)
    }
  }, [])
}

function canTakeFocus(control: Element): boolean {
  return control.isConnected && !control.matches(':disabled')
}

function placeOf(control: HTMLElement): Place | undefined {
  if (control.closest('[data-own-focus]') !== null) return undefined
  const row = control.closest('li')
  const list = row?.parentElement ?? undefined
  const around: Element[] = []
  for (let at = control.parentElement; at !== null; at = at.parentElement) around.push(at)
  return {
    ...{ control, list, around },
    row: row === null || list === undefined ? -1 : [...list.children].indexOf(row),
    position: row === null ? -1 : [...row.querySelectorAll(CONTROLS)].indexOf(control),
  }
}

function focusIn({ list, row, position, around }: Place): void {
  const next = list?.isConnected === true ? (list.children[row] ?? list.lastElementChild) : null
  const controls = [...(next?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])]
  const control = [controls[position], ...controls].find((one) => one !== undefined && canTakeFocus(one))
  const target = control ?? headingOf(around)
  if (control === undefined && target?.getAttribute('tabindex') === null) target.tabIndex = -1
  target?.focus()
}

/** Of the nearest part that is still there and has one. */
function headingOf(around: readonly Element[]): HTMLElement | undefined {
  for (const part of around) {
    const heading = part.isConnected ? part.querySelector<HTMLElement>('h1, h2, h3') : null
    if (heading !== null) return heading
  }
  return undefined
}
