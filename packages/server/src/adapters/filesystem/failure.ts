import { StorageFull, StorageUnavailable } from '../../ports/storageErrors.ts'

/** The operating system's code (`ENOSPC`, `EIO`, …) of an error from a system call; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/**
 * Runs system calls on the file system, and nothing else. Every code of the system (disk full, read-only, broken, forbidden, no descriptors, disk removed)
 * becomes `StorageUnavailable`. There is no list of codes: an error with a code that the list lacks would look like a fault in the server's code.
 */
export async function onStorage<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw storageError(error)
  }
}

/** What `onStorage` throws for `error`. */
export function storageError(error: unknown): unknown {
  const code = systemCode(error)
  if (code === undefined) return error
  const Kind = code === 'ENOSPC' || code === 'EDQUOT' ? StorageFull : StorageUnavailable
  return new Kind(`the storage answered ${code}`, { cause: error })
}

/** The result of `work`, or undefined if the system reports that there is no such file. */
export async function unlessMissing<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
