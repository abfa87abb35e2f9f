import { constants } from 'node:fs'
import { constants as osConstants } from 'node:os'
import { forbidden, isForbidden } from '../../ground/forbidden.ts'
import { StorageForbidden, StorageFull, StorageUnavailable } from '../../ground/storageErrors.ts'

/**
 * To open an object for reading. Without `O_NONBLOCK`, a pipe in its place would hold one of the few threads for files
 * until another process writes into it; for a file it means nothing.
 */
export const READ_ONLY = constants.O_RDONLY | constants.O_NONBLOCK

/** The code (`ENOSPC`, `EIO`, …) of a system call's error; undefined otherwise. Node has no name for a full quota. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined
  if (typeof error.code !== 'string') return undefined
  return 'errno' in error && error.errno === -osConstants.errno.EDQUOT ? 'EDQUOT' : error.code
}

/**
 * Runs system calls on the file system, and nothing else. Every code of the system (disk full, read-only, broken,
 * forbidden, no descriptors, disk removed) becomes `StorageUnavailable`. There is no list of codes: an error with a
 * code that the list lacks would look like a fault in the server's code.
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
  return code === undefined ? error : storageFailure(code, { path: pathOf(error), cause: error })
}

/** The failure of a system call that answered `code`. */
export function storageFailure(
  code: string,
  { path, cause }: { readonly path: string | undefined; readonly cause: unknown },
): StorageUnavailable {
  if (isForbidden(code)) return new StorageForbidden(`${forbidden(path ?? 'a file of the storage')}.`, { cause })
  const Kind = code === 'ENOSPC' || code === 'EDQUOT' ? StorageFull : StorageUnavailable
  return new Kind(`the storage answered ${code}`, { cause })
}

/** Of a file, an error of a system call has it; of an open file it has none. */
function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined
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
