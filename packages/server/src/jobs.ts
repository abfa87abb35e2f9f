import type { Scrub } from './domain/custody/scrub.ts'
import type { Sweep } from './domain/sweep.ts'
import type { Log } from './ports/log.ts'
import { StoreBroken } from './ports/store.ts'

/** What runs by the clock, in two lines: an object that takes hours to read holds up no sweep. A job that fails is told and tried again at its next turn. */
export interface Jobs {
  /** Bytes were left to be removed: do it soon. */
  onDeleting(): void
  /** An account was deleted: let go of what it held. */
  onDeleted(): void
  /** An object was found wrong: look at it soon. */
  onSuspect(): void
  /** Breaks off what is being read. Resolves when nothing runs any more. */
  stop(): Promise<void>
}

interface JobParts {
  readonly sweep: Sweep
  readonly scrub: Pick<Scrub, 'turn'>
  readonly log: Log
  readonly sweepSeconds: number
  /** The process has to end: the database's word is worth nothing any more. */
  readonly onBroken: (error: StoreBroken) => void
}

/** Rest between two turns of the scrubber. */
const SCRUB_PAUSE_SECONDS = 60

export function startJobs({ sweep, scrub, log, sweepSeconds, onBroken }: JobParts): Jobs {
  const ending = new AbortController()
  const parts = { log, onBroken, signal: ending.signal }
  const [sweeping, scrubbing] = [createLine(parts), createLine(parts)]
  const runSweep = () => sweeping.run('sweep', sweep.sweep)
  const timer = setInterval(runSweep, sweepSeconds * 1000)
  runSweep()

  let pause: NodeJS.Timeout | undefined
  // Counted from the end of a turn, however long that was: so a slow disk has some time for others.
  const runScrub = () =>
    scrubbing.run('scrub', async () => {
      clearTimeout(pause)
      await scrub.turn(ending.signal).finally(() => {
        if (!ending.signal.aborted) pause = setTimeout(runScrub, SCRUB_PAUSE_SECONDS * 1000)
      })
    })
  runScrub()

  return {
    onDeleting: () => sweeping.run('remove deleting bytes', sweep.removeDeleting),
    onDeleted: () => sweeping.run('empty deleted accounts', sweep.resumeAccountDeletions),
    onSuspect: runScrub,
    async stop() {
      ending.abort(new Error('the server ends'))
      clearInterval(timer)
      clearTimeout(pause)
      await Promise.all([sweeping.isIdle(), scrubbing.isIdle()])
    },
  }
}

/** Jobs one at a time. Each waits in line once at the most, however slow the one before it is; none begins once the signal has aborted. */
function createLine({ log, onBroken, signal }: Pick<JobParts, 'log' | 'onBroken'> & { readonly signal: AbortSignal }) {
  const queued = new Set<string>()
  let last = Promise.resolve()
  return {
    run(name: string, job: () => Promise<void>): void {
      if (queued.has(name)) return
      queued.add(name)
      last = last
        .then(() => {
          queued.delete(name)
          return signal.aborted ? undefined : job()
        })
        .catch((error: unknown) => {
          if (error === signal.reason && signal.aborted) return
          log.error('job failed', { job: name, error })
          if (error instanceof StoreBroken) onBroken(error)
        })
    },
    isIdle: async (): Promise<void> => await last,
  }
}
