/** Work that a closed page would lose: the browser asks before it closes, and so does signing out. */
import { useEffect } from 'preact/hooks'

const busy = new Set<symbol>()

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** Says that something is under way, until the returned function is called. For what goes on when another page is shown. */
export function becomeBusy(): () => void {
  const work = Symbol('work')
  if (busy.size === 0) addEventListener('beforeunload', ask)
  busy.add(work)
  return () => {
    busy.delete(work)
    if (busy.size === 0) removeEventListener('beforeunload', ask)
  }
}

/** The same for something on this page, as long as it is. */
export function useBusy(isBusy: boolean): void {
  useEffect(() => (isBusy ? becomeBusy() : undefined), [isBusy])
}

/** The same for what outlives its page: `subscribe` calls back whenever `isAtWork` may have changed. */
export function busyAsLongAs(isAtWork: () => boolean, subscribe: (listener: () => void) => unknown): void {
  let rest: (() => void) | undefined
  subscribe(() => {
    if (isAtWork()) rest ??= becomeBusy()
    else rest = void rest?.()
  })
}

export function isBusy(): boolean {
  return busy.size > 0
}
