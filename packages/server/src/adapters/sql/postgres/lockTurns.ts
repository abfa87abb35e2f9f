import { type Locks, StorageUnavailable } from '../../../ports/store.ts'
import { MAX_WAITING } from '../shared/turns.ts'
import { inOrder } from './locks.ts'

/** A request that waited for longer is refused: its client has given up, or soon will. */
const MAX_WAIT_MS = 30_000

/**
 * Within this process, calls that name a common lock run one after another. So they wait without a connection, and
 * requests of one account cannot take all the connections away from the others.
 */
export interface LockTurns {
  /** Runs `work` after all earlier works that named one of `locks` have settled. */
  take<Result>(locks: Locks, work: () => Promise<Result>): Promise<Result>
}

export function createLockTurns(): LockTurns {
  const last = new Map<string, Promise<unknown>>()
  let waiting = 0

  async function takeOne<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (last.get(lock) ?? Promise.resolve()).then(work)
    const settled = turn.catch(() => undefined)
    last.set(lock, settled)
    try {
      return await turn
    } finally {
      if (last.get(lock) === settled) last.delete(lock)
    }
  }

  return {
    async take(locks, work) {
      if (waiting >= MAX_WAITING) throw new StorageUnavailable('Too many requests wait for the database')
      const askedAt = performance.now()
      let isWaiting = true
      const leave = () => {
        if (isWaiting) waiting -= 1
        isWaiting = false
      }
      waiting += 1
      const inTurn = async () => {
        leave()
        if (performance.now() - askedAt > MAX_WAIT_MS)
          throw new StorageUnavailable('Others used the same rows for too long')
        return await work()
      }
      try {
        return await inOrder(locks).reduceRight((inner, lock) => () => takeOne(lock, inner), inTurn)()
      } finally {
        leave()
      }
    },
  }
}
