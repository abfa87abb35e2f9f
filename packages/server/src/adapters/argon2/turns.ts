import { HasherBusy } from '../../ports/secrets.ts'

export interface Turns {
  /**
   * Runs `work` in the order of the calls. Rejects with `HasherBusy` if too many wait, or too many of the same source.
   * The undefined source stands for many clients, so it has no share.
   */
  take<Result>(work: () => Promise<Result>, source?: string): Promise<Result>
}

/** One source may have this part of the queue. */
const SHARE = 1 / 4

export interface TurnLimits {
  readonly concurrent: number
  readonly queueMax: number
}

export function createTurns(options: TurnLimits): Turns {
  const waiting: { readonly source: string | undefined; readonly start: () => void }[] = []
  const sourceMax = Math.ceil(options.queueMax * SHARE)
  let running = 0

  function isFull(source: string | undefined): boolean {
    if (waiting.length >= options.queueMax) return true
    return source !== undefined && waiting.filter((each) => each.source === source).length >= sourceMax
  }

  async function enter(source: string | undefined): Promise<void> {
    if (running < options.concurrent) {
      running += 1
      return
    }
    if (isFull(source)) throw new HasherBusy('too many secrets wait to be hashed')
    // A work that ends hands its turn to the next one, so `running` does not change.
    await new Promise<void>((start) => waiting.push({ source, start }))
  }

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next.start()
  }

  return {
    async take(work, source) {
      await enter(source)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
