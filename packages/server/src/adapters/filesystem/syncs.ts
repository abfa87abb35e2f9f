import type { FileHandle } from 'node:fs/promises'
import { SyncFailed } from '../../ground/storageErrors.ts'

/** So many failed syncs mean a broken device: every sync is refused then, and the memory stays bounded. */
const MAX_FAILURES = 10_000

/**
 * Syncs files and directories, and remembers each failure.
 *
 * After a failed fsync Linux marks the unwritten pages as clean and reports the error only once. A second fsync
 * succeeds although bytes are lost. So a path whose sync failed is refused until it is forgotten (when its file is
 * removed) or until the process ends: a new process reads the bytes again, and then reads what the disk has.
 */
export interface Syncs {
  /** Throws `SyncFailed` if a sync of `path` failed before. */
  refuseAfterFailure(path: string): void
  /** Throws `SyncFailed`. `whole` also syncs metadata that reading does not need (`fsync`, else `fdatasync`). */
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
      // A simultaneous sync of the same path may have failed and received the only report of the error.
      refuseAfterFailure(path)
    },
    forget(path) {
      failures.delete(path)
    },
  }
}
