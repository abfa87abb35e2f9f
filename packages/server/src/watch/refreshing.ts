import type { Log } from '../ports/log.ts'
import { StoreBroken } from '../ports/store.ts'

/**
 * Rereads at intervals what another process may change, such as an operator's command. Apart from the jobs, because a
 * job may take long. Not on demand, as for the signing key, because every answer has the protocol window, also when the
 * store cannot be read.
 */
interface Refreshing {
  /** Resolves when no refresh is running. */
  stop(): Promise<void>
}

/** Answers show an announcement within 5 s of its command: this pause, and the time of a refresh. */
const REFRESH_MS = 2_000

/** Runs one refresh at a time. A failed one is logged, and the last values stay. */
export function startRefreshing({
  refresh,
  pauseMs = REFRESH_MS,
  log,
  onBroken,
}: {
  readonly refresh: () => Promise<unknown>
  readonly pauseMs?: number
  readonly log: Log
  /** The process must end: what the database says can no longer be relied on. */
  readonly onBroken: (error: StoreBroken) => void
}): Refreshing {
  let running: Promise<void> | undefined

  async function refreshOnce(): Promise<void> {
    try {
      await refresh()
    } catch (error) {
      log.error('refresh failed', { error })
      if (error instanceof StoreBroken) onBroken(error)
    } finally {
      running = undefined
    }
  }

  const timer = setInterval(() => {
    running ??= refreshOnce()
  }, pauseMs)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
