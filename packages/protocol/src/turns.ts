/** Lets a few works run at once. The others wait, and begin in the order of their calls. */
export interface Turns {
  /** Throws what `busy` makes if too many wait, and what `watch` gives up with. */
  take<Result>(work: () => Promise<Result>, asker?: Asker): Promise<Result>
  /** The same for a work that ends elsewhere: with the returned function. */
  enter(asker?: Asker): Promise<() => void>
}

export interface Asker {
  /** Whose part of the turns it uses. Undefined stands for many, so it has no part. */
  readonly source?: string | undefined
  /** Called if the asker has to wait: may end the wait with a reason, until the returned function is called. */
  readonly watch?: (giveUp: (reason: unknown) => void) => () => void
}

export interface TurnsOptions {
  readonly most: number
  readonly mostWaiting: number
  /** What one source may have of both. */
  readonly ofSource?: { readonly most?: number; readonly mostWaiting?: number }
  readonly busy: () => Error
}

interface Waiting {
  readonly source: string | undefined
  readonly start: () => void
}

export function createTurns({ most, mostWaiting, ofSource = {}, busy }: TurnsOptions): Turns {
  const waiting = new Set<Waiting>()
  const bySource = new Map<string, number>()
  let running = 0

  const runningOf = (source: string) => bySource.get(source) ?? 0

  const isFree = (source: string | undefined) =>
    running < most && (source === undefined || runningOf(source) < (ofSource.most ?? most))

  function mayWait(source: string | undefined): boolean {
    if (waiting.size >= mostWaiting) return false
    const { mostWaiting: mostOfSource = mostWaiting } = ofSource
    return source === undefined || [...waiting].filter((each) => each.source === source).length < mostOfSource
  }

  function begin(source: string | undefined): void {
    running += 1
    if (source !== undefined) bySource.set(source, runningOf(source) + 1)
  }

  function end(source: string | undefined): void {
    running -= 1
    if (source !== undefined && runningOf(source) > 1) bySource.set(source, runningOf(source) - 1)
    else if (source !== undefined) bySource.delete(source)
    for (const next of waiting) {
      if (!isFree(next.source)) continue
      waiting.delete(next)
      // In this step, so that no later call overtakes.
      begin(next.source)
      next.start()
      break
    }
  }

  async function enter({ source, watch }: Asker): Promise<void> {
    if (isFree(source)) return begin(source)
    if (!mayWait(source)) throw busy()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const own: Waiting = { source, start: resolve }
    waiting.add(own)
    const stop = watch?.((reason) => {
      // If the turn has come meanwhile, it is taken.
      if (waiting.delete(own)) reject(reason)
    })
    await promise.finally(stop)
  }

  return {
    async take(work, asker = {}) {
      await enter(asker)
      try {
        return await work()
      } finally {
        end(asker.source)
      }
    },
    async enter(asker = {}) {
      await enter(asker)
      return () => end(asker.source)
    },
  }
}
