import type { Asker } from '@blindkeep/protocol/turns'

interface Patience {
  readonly signal: AbortSignal | undefined
  readonly waitMs: number
  readonly busy: () => Error
}

/** Waits for a turn until the time is over (throws what `busy` makes), or `signal` aborts (throws its reason). */
export function patient({ signal, waitMs, busy }: Patience): Asker {
  signal?.throwIfAborted()
  return {
    watch(giveUp) {
      const abort = () => giveUp(signal?.reason)
      const timer = setTimeout(() => giveUp(busy()), waitMs)
      signal?.addEventListener('abort', abort, { once: true })
      return () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
    },
  }
}
