import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** What a focus may rest on when the control that had it is gone; with its own words, a screen reader says where one is. */
const RESTS = 'li, section, main'

/** Keeps the focus of whoever has just pressed a button that goes away with its row, its form or its dialog: what stood around it takes it. */
export function useFocusKept(within: RefObject<HTMLElement | null>): void {
  const held = useRef<readonly HTMLElement[]>([])
  useEffect(() => {
    const root = within.current
    const take = ({ target }: FocusEvent) => {
      held.current = around(target)
    }
    const leave = ({ target, relatedTarget }: FocusEvent) => {
      // Some browsers tell of it before the control is gone, so it is looked at afterwards.
      queueMicrotask(() => {
        if (relatedTarget === null && target instanceof Node && target.isConnected) held.current = []
      })
    }
    root?.addEventListener('focusin', take)
    root?.addEventListener('focusout', leave)
    return () => {
      root?.removeEventListener('focusin', take)
      root?.removeEventListener('focusout', leave)
    }
  }, [])
  useLayoutEffect(() => {
    const [control, ...rests] = held.current
    if (control === undefined || control.isConnected || document.activeElement !== document.body) return
    const rest = rests.find(({ isConnected }) => isConnected)
    if (rest === undefined) return
    rest.tabIndex = -1
    rest.focus({ preventScroll: true })
  })
}

/** Nobody is at any control. */
export function isFocusFree(): boolean {
  return document.activeElement?.matches('body, [tabindex="-1"]') !== false
}

/** The control itself, and what it stands in, from the inside out. */
function around(control: EventTarget | null): readonly HTMLElement[] {
  const found: HTMLElement[] = []
  for (let at = control; at instanceof HTMLElement; at = at.parentElement)
    if (at === control || at.matches(RESTS)) found.push(at)
  return found
}
