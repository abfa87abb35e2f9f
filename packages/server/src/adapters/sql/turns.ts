import { StorageUnavailable } from '../../ports/store.ts'

/** So many may wait for one thing; more of them are refused, as the last would wait for minutes. */
export const MAX_WAITING = 20_000

/** One at a time, in the order of asking. */
export interface Turns {
  /** Runs `work` when all that asked before have settled. */
  take<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    async take(work) {
      if (waiting >= MAX_WAITING) throw new StorageUnavailable('Too many wait for the database')
      waiting += 1
      const turn = last.then(work)
      last = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        waiting -= 1
      }
    },
  }
}
