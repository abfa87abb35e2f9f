/** Waits that end early when the browser is online again or the guest returns. A back-off then ends at once. */
type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>

interface WakingWait {
  readonly wait: Wait
  /** Ends all current waits. */
  wake(): void
}

export function createWakingWait(wait: Wait): WakingWait {
  const sleeping = new Set<AbortController>()
  return {
    async wait(milliseconds, signal) {
      signal?.throwIfAborted()
      const sleep = new AbortController()
      const stop = () => sleep.abort(signal?.reason)
      signal?.addEventListener('abort', stop, { once: true })
      sleeping.add(sleep)
      try {
        await wait(milliseconds, sleep.signal)
      } catch (error) {
        if (signal?.aborted === true || !sleep.signal.aborted) throw error
      } finally {
        sleeping.delete(sleep)
        signal?.removeEventListener('abort', stop)
      }
    },
    wake() {
      for (const sleep of sleeping) sleep.abort()
    },
  }
}
