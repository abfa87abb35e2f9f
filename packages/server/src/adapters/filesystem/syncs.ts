import type { FileHandle } from 'node:fs/promises'
import { SyncFailed } from '../../ports/blobs.ts'

/** So many failed syncs mean that the device is broken. The memory of them ends here, and with it the settling of anything. */
const MAX_FAILURES = 10_000

/**
 * Syncs files and directories and remembers each that failed.
 *
 * After a failed fsync Linux marks the pages clean that it could not write, and tells of the error once. A second fsync then succeeds over bytes
 * that are lost. So what has failed once is refused until it is forgotten, which is for files that are removed, or until the process ends: what a
 * new process takes over it reads again, and those are then the bytes on the disk.
 */
export interface Syncs {
  /** Throws `SyncFailed` when a sync of `path` has failed before. */
  refuseAfterFailure(path: string): void
  /** Throws `SyncFailed`. `whole` also covers metadata without which the bytes could still be read (`fsync`, else `fdatasync`). */
  sync(path: string, handle: FileHandle, options: { readonly whole: boolean }): Promise<void>
  forget(path: string): void
}

export function createSyncs(): Syncs {
  const failures = new Map<string, unknown>()

  function refuseAfterFailure(path: string): void {
    const isRefused = failures.has(path) || failures.size >= MAX_FAILURES
    if (isRefused) throw new SyncFailed('an earlier sync failed', { cause: failures.get(path) })
  }

  return {
    refuseAfterFailure,
    async sync(path, handle, { whole }) {
      refuseAfterFailure(path)
      try {
        await (whole ? handle.sync() : handle.datasync())
      } catch (cause) {
        failures.set(path, cause)
        throw new SyncFailed('a sync failed', { cause })
      }
      // One that ran beside this one may have failed meanwhile, and taken the one report of the error with it.
      refuseAfterFailure(path)
    },
    forget(path) {
      failures.delete(path)
    },
  }
}
