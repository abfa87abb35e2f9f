import { setTimeout as wait } from 'node:timers/promises'

/** Rings within it count as one: a server that rings without end must not be asked without end. */
const REST_MS = 300

/** Wakes up the one that waits for it. Rung while none waits, it is heard by the next wait. */
export interface Bell {
  ring(): void
  /** Resolves shortly after the next ring, or after `maxMs`. Rejects with the signal's reason. */
  heard(maxMs: number, signal: AbortSignal): Promise<void>
}

export function createBell(rest = (signal: AbortSignal) => wait(REST_MS, undefined, { signal })): Bell {
  let isRung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      isRung = true
      wake?.()
    },
    async heard(maxMs, signal) {
      signal.throwIfAborted()
      if (!isRung)
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer)
            signal.removeEventListener('abort', end)
            wake = undefined
            resolve()
          }
          const timer = setTimeout(end, maxMs)
          signal.addEventListener('abort', end)
          wake = end
        })
      await rest(signal).catch(() => undefined)
      isRung = false
      signal.throwIfAborted()
    },
  }
}
