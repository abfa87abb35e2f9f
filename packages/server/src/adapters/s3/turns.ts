import { DigestsBusy } from '../../ports/storageErrors.ts'

/** Lets a few digests run at once. The others wait in the order of their calls. */
export interface Turns {
  /** Throws `DigestsBusy` if too many wait, and the reason of `signal` as soon as it aborts, also while `work` runs. */
  take<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result>
}

export function createTurns({ most, mostWaiting }: { readonly most: number; readonly mostWaiting: number }): Turns {
  const waiting = new Set<() => void>()
  let running = 0

  async function turn(signal: AbortSignal): Promise<void> {
    if (running < most) {
      running += 1
      return
    }
    if (waiting.size >= mostWaiting) throw new DigestsBusy('too many objects wait to be hashed')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => {
      waiting.delete(resolve)
      reject(signal.reason)
    }
    waiting.add(resolve)
    signal.addEventListener('abort', abort, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', abort))
  }

  /** Passes the turn on, so that nobody who comes later overtakes. */
  function leave(): void {
    const [next] = waiting
    if (next === undefined) running -= 1
    else {
      waiting.delete(next)
      next()
    }
  }

  return {
    async take(signal, work) {
      signal.throwIfAborted()
      await turn(signal)
      const stopped = Promise.withResolvers<never>()
      const abort = () => stopped.reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      try {
        signal.throwIfAborted()
        return await Promise.race([work(), stopped.promise])
      } finally {
        signal.removeEventListener('abort', abort)
        leave()
      }
    },
  }
}
