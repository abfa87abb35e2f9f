import { HasherBusy } from '../../ports/secrets.ts'

export interface Turns {
  /** Runs `work` in the order of the calls. Rejects with `HasherBusy` if too many wait, or too many of one source. */
  take<Result>(work: () => Promise<Result>, source?: string): Promise<Result>
}

export interface TurnLimits {
  readonly concurrent: number
  readonly queueMax: number
  /** How many of one source may wait. Callers without a known source only share `queueMax`. */
  readonly queueMaxOfSource?: number
}

export function createTurns({ concurrent, queueMax, queueMaxOfSource = queueMax }: TurnLimits): Turns {
  const waiting: { readonly begin: () => void; readonly source: string | undefined }[] = []
  let running = 0

  async function enter(source: string | undefined): Promise<void> {
    if (running < concurrent) {
      running += 1
      return
    }
    // Counted by going through the queue: it is short, and hashing takes far longer.
    const ofSource = source === undefined ? 0 : waiting.filter((each) => each.source === source).length
    if (waiting.length >= queueMax || ofSource >= queueMaxOfSource)
      throw new HasherBusy('too many secrets wait to be hashed')
    // A work that ends hands its turn to the next one, so `running` does not change.
    await new Promise<void>((begin) => waiting.push({ begin, source }))
  }

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next.begin()
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
