import { constants } from 'node:fs'
import { constants as osConstants } from 'node:os'
import { forbidden, isForbidden } from '../../ground/forbidden.ts'
import { ObjectUnreadable, StorageForbidden, StorageFull, StorageUnavailable } from '../../ground/storageErrors.ts'

/**
 * To open an object for reading. Without `O_NONBLOCK`, a pipe in its place would hold one of the few threads for files
 * until another process writes into it; for a file it means nothing.
 */
export const READ_ONLY = constants.O_RDONLY | constants.O_NONBLOCK

const NAMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(osConstants.errno).map(([name, number]) => [-number, name]),
)

/** The code (`ENOSPC`, `EIO`, …) of a system call's error; undefined otherwise. Errors of Node lack some (`ESTALE`). */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined
  if (typeof error.code !== 'string') return undefined
  const isNamed = !error.code.startsWith('Unknown system error') || !('errno' in error)
  return isNamed ? error.code : (NAMES.get(error.errno) ?? error.code)
}

/**
 * Runs system calls on the file system, and nothing else. Every code of the system (disk full, read-only, broken,
 * forbidden, no descriptors, disk removed) becomes `StorageUnavailable`. There is no list of codes: an error with a
 * code that the list lacks would look like a fault in the server's code.
 */
export async function onStorage<Result>(work: () => Promise<Result>, failureOf = storageFailure): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw storageError(error, failureOf)
  }
}

/** As `onStorage`, to open or read an object. */
export function onObject<Result>(work: () => Promise<Result>): Promise<Result> {
  return onStorage(work, readFailure)
}

/** What `onStorage` throws for `error`. */
export function storageError(error: unknown, failureOf = storageFailure): unknown {
  const code = systemCode(error)
  return code === undefined ? error : failureOf(code, { path: pathOf(error), cause: error })
}

/**
 * Codes of a process without memory or descriptors, and of a disk or network that is away: they say nothing about the
 * object. Every other code counts as the object's: a wrong suspicion ends with the next reading, but what is wrongly
 * called durable may be deleted elsewhere.
 */
const NOT_OF_OBJECT: ReadonlySet<string> = new Set([
  ...['EAGAIN', 'EBUSY', 'EINTR', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'],
  ...['ENODEV', 'ENOLINK', 'ENOTCONN', 'ENXIO', 'ESHUTDOWN', 'ESTALE', 'ETIMEDOUT', 'EPIPE'],
  ...['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH'],
])

/** The failure of a system call that opens or reads an object: `ObjectUnreadable` if it is of this object alone. */
export function readFailure(code: string, at: FailureAt): StorageUnavailable {
  const failure = storageFailure(code, at)
  const isOther = failure instanceof StorageForbidden || failure instanceof StorageFull || NOT_OF_OBJECT.has(code)
  return isOther ? failure : new ObjectUnreadable(failure.message, { cause: at.cause })
}

interface FailureAt {
  readonly path: string | undefined
  readonly cause: unknown
}

/** The failure of a system call that answered `code`. */
export function storageFailure(code: string, { path, cause }: FailureAt): StorageUnavailable {
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
