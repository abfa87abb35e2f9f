import type { Log } from './ports/log.ts'
import { StoreBroken } from './ports/store.ts'

/**
 * What another process may change, such as an operator's command, is looked at again and again: beside the jobs, as one of those may take long. Not when
 * somebody asks, as for the signing key (`cacheFor`): the protocol window goes with every answer, also when the store cannot be read.
 */
interface Refreshing {
  /** Resolves when no look is under way any more. */
  stop(): Promise<void>
}

/** An announcement is told in answers within 5 s of its command: this pause, and the time that a look takes. */
const REFRESH_MS = 2_000

/** One look at a time. One that fails is told, and what was known until then holds. */
export function startRefreshing({
  refresh,
  pauseMs = REFRESH_MS,
  log,
  onBroken,
}: {
  readonly refresh: () => Promise<unknown>
  readonly pauseMs?: number
  readonly log: Log
  /** The process has to end: the database's word is worth nothing any more. */
  readonly onBroken: (error: StoreBroken) => void
}): Refreshing {
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    try {
      await refresh()
    } catch (error) {
      log.error('refresh failed', { error })
      if (error instanceof StoreBroken) onBroken(error)
    } finally {
      looking = undefined
    }
  }

  const timer = setInterval(() => {
    looking ??= look()
  }, pauseMs)
  return {
    async stop() {
      clearInterval(timer)
      await looking
    },
  }
}
