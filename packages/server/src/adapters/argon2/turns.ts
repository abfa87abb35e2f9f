import { HasherBusy } from '../../ports/secrets.ts'

export interface Turns {
  /** Runs `work` in the order of the calls. Rejects with `HasherBusy` if too many wait. */
  take<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createTurns(options: { readonly concurrent: number; readonly queueMax: number }): Turns {
  const waiting: (() => void)[] = []
  let running = 0

  async function enter(): Promise<void> {
    if (running < options.concurrent) {
      running += 1
      return
    }
    if (waiting.length >= options.queueMax) throw new HasherBusy('too many secrets wait to be hashed')
    // A work that ends hands its turn to the next one, so `running` does not change.
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }

  return {
    async take(work) {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
