/** Work that closing the page would lose: the browser asks before it closes, and signing out asks too. */
import { useEffect } from 'preact/hooks'

const guards = new Set<symbol>()

function preventClosing(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** Guards until the returned function is called, also while another page is shown. */
export function guardClosing(): () => void {
  const guard = Symbol('guard')
  if (guards.size === 0) addEventListener('beforeunload', preventClosing)
  guards.add(guard)
  return () => {
    guards.delete(guard)
    if (guards.size === 0) removeEventListener('beforeunload', preventClosing)
  }
}

/** Guards while `isBusy` is true and the component is shown. */
export function useCloseGuard(isBusy: boolean): void {
  useEffect(() => (isBusy ? guardClosing() : undefined), [isBusy])
}

/** Guards while `isBusy()` is true. `subscribe` must call back whenever that may have changed. */
export function guardClosingWhile(isBusy: () => boolean, subscribe: (listener: () => void) => unknown): void {
  let release: (() => void) | undefined
  subscribe(() => {
    if (isBusy()) release ??= guardClosing()
    else release = void release?.()
  })
}

export function isCloseGuarded(): boolean {
  return guards.size > 0
}
