import { StorageUnavailable } from '../../../ports/store.ts'

/** How many may wait for one thing. More are refused, because the last would wait for minutes. */
export const MAX_WAITING = 20_000

/** Runs works one at a time, in the order of the calls. */
export interface Turns {
  /** Runs `work` after all earlier works have settled. */
  take<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    async take(work) {
      if (waiting >= MAX_WAITING) throw new StorageUnavailable('Too many requests wait for the database')
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
