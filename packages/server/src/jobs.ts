import type { Sweep } from './domain/sweep.ts'
import type { Log } from './ports/log.ts'

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
}: {
  readonly sweep: Sweep
  readonly log: Log
  readonly sweepSeconds: number
}): Jobs {
  let last = Promise.resolve()
  let isStopped = false
  let isRemovalQueued = false

  function run(name: string, job: () => Promise<void>): void {
    last = last
      .then(() => (isStopped ? undefined : job()))
      .catch((error: unknown) => log.error('job failed', { job: name, error }))
  }

  const timer = setInterval(() => run('sweep', sweep.sweep), sweepSeconds * 1000)
  run('sweep', sweep.sweep)

  return {
    onDoomed() {
      if (isRemovalQueued) return
      isRemovalQueued = true
      run('remove doomed bytes', async () => {
        isRemovalQueued = false
        await sweep.removeDoomed()
      })
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      await last
    },
  }
}
