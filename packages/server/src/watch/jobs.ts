import type { Sweep } from '../domain/closing/sweep.ts'
import type { Parts } from '../domain/custody/parts.ts'
import type { Scrubber } from '../domain/custody/scrub.ts'
import type { Notifier } from '../domain/notify/notifier.ts'
import type { Log } from '../ports/log.ts'
import type { Node } from '../ports/node.ts'
import { StoreBroken } from '../ports/store.ts'

/**
 * The jobs that run by the clock, in queues, so that reading or joining a large object delays no sweep. A failed job is
 * logged and runs again at its next time. Of several nodes one at a time runs each of them. What a request of this node
 * left behind, this node cleans up.
 */
export interface Jobs {
  /** There are bytes to delete: do it soon. */
  onDeleting(): void
  /** An account was deleted: delete its contents soon. */
  onDeleted(): void
  /** An object has wrong bytes: read it again soon. */
  onSuspect(): void
  /** Interrupts the reading of an object. Resolves when no job runs. */
  stop(): Promise<void>
}

interface JobParts {
  readonly sweep: Sweep
  readonly scrub: Pick<Scrubber, 'turn' | 'hasDoubtful' | 'again'>
  /** Undefined if the store of bytes has no keys. */
  readonly parts?: Pick<Parts, 'tend'> | undefined
  readonly notifier: Pick<Notifier, 'tend' | 'isIdle'>
  readonly node: Pick<Node, 'inTurn'>
  readonly log: Log
  readonly sweepSeconds: number
  /** The process must end: what the database says can no longer be relied on. */
  readonly onBroken: (error: StoreBroken) => void
}

/** Pause between two turns of the scrubber. */
const SCRUB_PAUSE_SECONDS = 60
/** Between two looks for objects whose bytes seemed wrong. */
const DOUBT_PAUSE_MS = 3_000
/** Between two looks for owners to notify. */
const NOTIFY_PAUSE_MS = 1_000

export function startJobs({ sweep, scrub, parts, notifier, node, log, sweepSeconds, onBroken }: JobParts): Jobs {
  const ending = new AbortController()
  const shared = { log, onBroken, signal: ending.signal }
  const [sweeping, scrubbing, tending] = [createQueue(shared), createQueue(shared), createQueue(shared)]
  const notifying = createQueue(shared)
  const runSweep = () => {
    sweeping.run('sweep', () => node.inTurn('sweep', sweep.sweep))
    if (parts !== undefined) tending.run('tend parts', () => node.inTurn('parts', () => parts.tend(ending.signal)))
  }
  const timer = setInterval(runSweep, sweepSeconds * 1000)
  runSweep()

  let pause: NodeJS.Timeout | undefined
  // Counted from the end of a turn, so that a slow disk has time for other reads.
  const runScrub = () =>
    scrubbing.run('scrub', async () => {
      clearTimeout(pause)
      const turn = node.inTurn('scrub', () => scrub.turn(ending.signal))
      await turn.finally(() => {
        if (!ending.signal.aborted) pause = setTimeout(runScrub, SCRUB_PAUSE_SECONDS * 1000)
      })
    })
  runScrub()
  // There is nearly never one, and a turn costs more than the question.
  const runAgain = () =>
    scrubbing.run('read again', async () => {
      if (await scrub.hasDoubtful()) await node.inTurn('scrub', () => scrub.again(ending.signal))
    })
  const doubtTimer = setInterval(runAgain, DOUBT_PAUSE_MS)

  // On every node at once: each attempt is claimed in the database.
  const runNotifier = () => notifying.run('notify owners', () => notifier.tend(ending.signal))
  const notifyTimer = setInterval(runNotifier, NOTIFY_PAUSE_MS)
  runNotifier()

  return {
    onDeleting: () => sweeping.run('remove deleting bytes', sweep.removeDeleting),
    onDeleted: () => sweeping.run('empty deleted accounts', sweep.resumeAccountDeletions),
    onSuspect: runAgain,
    async stop() {
      ending.abort(new Error('the server ends'))
      clearInterval(timer)
      clearInterval(doubtTimer)
      clearInterval(notifyTimer)
      clearTimeout(pause)
      await Promise.all([sweeping.isIdle(), scrubbing.isIdle(), tending.isIdle(), notifying.isIdle()])
      await notifier.isIdle()
    },
  }
}

/** Runs jobs one at a time. Each name waits at most once; no job starts after the signal has aborted. */
function createQueue({ log, onBroken, signal }: Pick<JobParts, 'log' | 'onBroken'> & { readonly signal: AbortSignal }) {
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
