import { StorageFull } from '../../../ground/storageErrors.ts'
import { StorageUnavailable, StoreBroken, StoreDamaged, ValueUnreadable } from '../../../ports/store.ts'

/** Whether the database can still be trusted. All connections to a file share one. */
export interface Health {
  /** Throws `StoreBroken` after the first failure that makes the database untrustworthy. */
  check(): void
  /** Translates an error of SQLite into the error to throw. Remembers a failure that breaks the store. */
  judge(error: unknown): unknown
}

/** `file`: of the database, for messages; absent for one in memory. */
export function createHealth(file?: string): Health {
  const named = file === undefined ? '' : ` ${file}`
  let broken: StoreBroken | undefined
  return {
    check() {
      if (broken !== undefined) throw broken
    },
    judge(error) {
      if (broken !== undefined) return broken
      if (error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE')
        return new ValueUnreadable(error.message, { cause: error })
      const code = resultCodeOf(error)
      if (code === undefined || code === 0) return error
      if (isFull(code)) return new StorageFull(`The disk of the database${named} is full`, { cause: error })
      if (isPassing(code)) return new StorageUnavailable('The database cannot be written to now', { cause: error })
      if (!isBreaking(code)) return error
      const Broken = isDamage(code) ? StoreDamaged : StoreBroken
      broken = new Broken('The database failed and cannot be trusted any more', { cause: error })
      return broken
    },
  }
}

function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

// https://www.sqlite.org/rescode.html: the low byte is the primary code.
const BUSY = 5
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26
const IOERR_SHMSIZE = 4874

/** A full disk also appears as an index of the log that cannot grow. */
function isFull(code: number): boolean {
  return (code & 0xff) === FULL || code === IOERR_SHMSIZE
}

/** SQLite has rolled back, and a later attempt may succeed. */
function isPassing(code: number): boolean {
  const primary = code & 0xff
  return primary === BUSY || primary === CANTOPEN
}

/**
 * Every other failed system call breaks the store, not only a failed sync (1034): after one, unwritten pages may count
 * as clean, and commits that SQLite reports as successful may be lost in a power cut. It is always safe to end the
 * process and to recover from the log at the next start. The plain code for read-only is no failure: the read-only
 * connection refuses writes with it.
 */
function isBreaking(code: number): boolean {
  const primary = code & 0xff
  return primary === IOERR || isDamage(code) || (primary === READONLY && code !== READONLY)
}

function isDamage(code: number): boolean {
  const primary = code & 0xff
  return primary === CORRUPT || primary === NOTADB
}
