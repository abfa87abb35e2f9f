import { isRefused, type WriteTx } from '../../../ports/store.ts'
import type { Db } from '../../../rows/db.ts'
import { createWriteTx } from '../../../rows/nouns.ts'

/** Runs `work` with what `write` gives, and after the commit the steps that its last run has asked for. */
export async function withCommitSteps<Result>(
  work: (tx: WriteTx) => Promise<Result>,
  write: (work: (db: Db) => Promise<Result>) => Promise<Result>,
): Promise<Result> {
  let steps: (() => void)[] = []
  const result = await write(async (db) => {
    const asked: typeof steps = []
    let isOver = false
    steps = asked
    const afterCommit = (step: () => void) => {
      if (isOver) throw new Error('The transaction is over')
      asked.push(step)
    }
    try {
      return await work(createWriteTx(db, afterCommit))
    } finally {
      isOver = true
    }
  })
  // A microtask each: they run before the caller goes on, in this order, and none gets the error of another.
  if (!isRefused(result)) for (const step of steps) queueMicrotask(step)
  return result
}
