/** Wakes up the one that waits for it. Rung while none waits, it is heard by the next wait. */
export interface Bell {
  ring(): void
  /** Resolves at the next ring, and after `maxMs` at the latest. Rejects with the signal's reason. */
  heard(maxMs: number, signal: AbortSignal): Promise<void>
}

export function createBell(): Bell {
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
      isRung = false
      signal.throwIfAborted()
    },
  }
}
