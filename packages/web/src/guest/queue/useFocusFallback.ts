import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** Elements that take the focus when a control is removed. Their labels let a screen reader say where the focus is. */
const FALLBACKS = 'li, section, main'

/** When the focused control leaves with its row, form or dialog, the nearest element around it gets the focus. */
export function useFocusFallback(within: RefObject<HTMLElement | null>): void {
  const focused = useRef<readonly HTMLElement[]>([])
  useEffect(() => {
    const root = within.current
    const take = ({ target }: FocusEvent) => {
      focused.current = around(target)
    }
    const leave = ({ target, relatedTarget }: FocusEvent) => {
      // Some browsers send the event before they remove the control, so check afterwards.
      queueMicrotask(() => {
        if (relatedTarget === null && target instanceof Node && target.isConnected) focused.current = []
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
    const [control, ...fallbacks] = focused.current
    if (control === undefined || control.isConnected || document.activeElement !== document.body) return
    const fallback = fallbacks.find(({ isConnected }) => isConnected)
    if (fallback === undefined) return
    fallback.tabIndex = -1
    fallback.focus({ preventScroll: true })
  })
}

/** No control has the focus. */
export function isFocusFree(): boolean {
  return document.activeElement?.matches('body, [tabindex="-1"]') !== false
}

/** The control, and the possible fallbacks around it, from the inside out. */
function around(control: EventTarget | null): readonly HTMLElement[] {
  const found: HTMLElement[] = []
  for (let at = control; at instanceof HTMLElement; at = at.parentElement)
    if (at === control || at.matches(FALLBACKS)) found.push(at)
  return found
}
