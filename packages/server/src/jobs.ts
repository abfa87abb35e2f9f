import type { Sweep } from './domain/sweep.ts'
import type { Log } from './ports/log.ts'
import { StoreBroken } from './ports/store.ts'

/** What runs by the clock. One job at a time; a job that fails is told and tried again at its next turn. */
export interface Jobs {
  /** Bytes were left to be removed: do it soon. */
  onDoomed(): void
  /** Resolves when nothing runs any more. */
  stop(): Promise<void>
}

export function startJobs({
  sweep,
  log,
  sweepSeconds,
  onBroken,
}: {
  readonly sweep: Sweep
  readonly log: Log
  readonly sweepSeconds: number
  /** The process has to end: the database's word is worth nothing any more. */
  readonly onBroken: (error: StoreBroken) => void
}): Jobs {
  const queued = new Set<string>()
  let last = Promise.resolve()
  let isStopped = false

  /** Each job waits in line once at the most, however slow the one before it is. */
  function run(name: string, job: () => Promise<void>): void {
    if (queued.has(name)) return
    queued.add(name)
    last = last
      .then(() => {
        queued.delete(name)
        return isStopped ? undefined : job()
      })
      .catch((error: unknown) => {
        log.error('job failed', { job: name, error })
        if (error instanceof StoreBroken) onBroken(error)
      })
  }

  const timer = setInterval(() => run('sweep', sweep.sweep), sweepSeconds * 1000)
  run('sweep', sweep.sweep)

  return {
    onDoomed: () => run('remove doomed bytes', sweep.removeDoomed),
    async stop() {
      isStopped = true
      clearInterval(timer)
      await last
    },
  }
}
