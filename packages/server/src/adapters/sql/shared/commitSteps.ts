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
  if (!isRefusal(result)) for (const step of steps) runApart(step)
  return result
}

function runApart(step: () => void): void {
  try {
    step()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
