import type { WriteTx } from '../../../ports/store.ts'
import type { Db } from '../../../rows/db.ts'
import { createWriteTx } from '../../../rows/nouns.ts'
import { isRefusal } from './isRefusal.ts'

/** Runs `work` with what `write` gives, and after the commit the steps that its last run has asked for. */
export async function withCommitSteps<Result>(
  work: (tx: WriteTx) => Promise<Result>,
  write: (work: (db: Db) => Promise<Result>) => Promise<Result>,
): Promise<Result> {
  let steps: (() => void)[] = []
  const result = await write((db) => {
    const asked: typeof steps = []
    steps = asked
    return work(createWriteTx(db, (step) => asked.push(step)))
  })
  // A microtask each: they run before the caller goes on, in this order, and none gets the error of another.
  if (!isRefusal(result)) for (const step of steps) queueMicrotask(step)
  return result
}
