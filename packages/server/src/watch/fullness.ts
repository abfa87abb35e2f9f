import { StorageFull } from '../ground/storageErrors.ts'
import type { Log } from '../ports/log.ts'
import type { Store, WriteTx } from '../ports/store.ts'

/** Between two attempts to write while the disk is full. */
const PAUSE_MS = 1000
/** More than any request writes. Room for one row may be left in a file that cannot grow. */
const LEAST_BYTES = 1024 * 1024

export interface FullWatch {
  /** The same store, watched. */
  readonly store: Store
  /** Why the server is not ready: `disk_full` from a write that failed for want of room until there is some. */
  reasons(): readonly string[]
  stop(): void
}

/**
 * Notices that the database takes no rows for want of room, and then tries to write one until it does again. Free space
 * alone would say less: the database may be on another machine, a quota is no free space, and SQLite writes for a while
 * into room that it has. `freeBytes`: of its disk, where that is this machine's.
 */
export function watchFullness(
  store: Store,
  { log, freeBytes }: { readonly log: Log; readonly freeBytes: () => Promise<number> },
): FullWatch {
  /** Set while the disk is full. */
  let timer: NodeJS.Timeout | undefined

  function begin(): void {
    if (timer !== undefined) return
    log.error('the disk of the database is full: nothing can be written')
    tryLater()
  }

  function tryLater(): void {
    timer = setTimeout(() => void tryAgain(), PAUSE_MS).unref()
  }

  async function tryAgain(): Promise<void> {
    const isWritten = await canWrite()
    // It was stopped meanwhile.
    if (timer === undefined) return
    if (!isWritten) return tryLater()
    stop()
    log.info('the disk of the database can be written again')
  }

  async function canWrite(): Promise<boolean> {
    try {
      if ((await freeBytes()) < LEAST_BYTES) return false
      await store.write(['server'], rewrite)
      return true
    } catch {
      // Full as before, or away, which each request says that needs it.
      return false
    }
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
  }

  return {
    store: {
      ...store,
      write: (locks, work) =>
        store.write(locks, work).catch((error: unknown) => {
          if (error instanceof StorageFull) begin()
          throw error
        }),
    },
    reasons: () => (timer === undefined ? [] : ['disk_full']),
    stop,
  }
}

/** A write that changes nothing. The start has written this fact. */
async function rewrite(tx: WriteTx): Promise<void> {
  const value = await tx.server.fact('protocol_window')
  if (value !== undefined) await tx.server.setFact('protocol_window', value)
}
