import { StorageUnavailable } from '../../ports/blobs.ts'

/** The operating system's code (`ENOSPC`, `EIO`, …) of an error that one of its calls gave; undefined for errors of our own making. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/**
 * Runs calls on the file system alone. Whatever the system refuses (full, read-only, broken, forbidden, out of descriptors, gone from under
 * us) is the storage being unavailable. There is no list of codes, because one that is missing from it would be taken for a fault in our code.
 */
export async function onStorage<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    throw new StorageUnavailable(`the storage answered ${code}`, { cause: error })
  }
}

/** What `work` answers, or undefined when the system says that there is no such file. */
export async function unlessMissing<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
