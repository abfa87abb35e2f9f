/** Lets a few works run at once. The others wait in the order of their calls. */
export interface Turns {
  /** Throws what `busy` makes for too many or too long waits, and the reason of `signal` as soon as it aborts. */
  take<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result>
}

export interface TurnsOptions {
  readonly most: number
  readonly mostWaiting: number
  readonly waitMs: number
  readonly busy: () => Error
}

export function createTurns({ most, mostWaiting, waitMs, busy }: TurnsOptions): Turns {
  const waiting = new Set<() => void>()
  let running = 0

  async function turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (running < most) {
      running += 1
      return
    }
    if (waiting.size >= mostWaiting) throw busy()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = (reason: unknown) => {
      // If the turn has come meanwhile, it is taken.
      if (waiting.delete(resolve)) reject(reason)
    }
    const abort = () => giveUp(signal?.reason)
    const timer = setTimeout(() => giveUp(busy()), waitMs)
    waiting.add(resolve)
    signal?.addEventListener('abort', abort, { once: true })
    await promise.finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    })
  }

  /** Passes the turn on, so that no later call overtakes. */
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
      await turn(signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
