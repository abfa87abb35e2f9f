import { DatabaseError } from 'pg'
import { StorageUnavailable, StoreBroken } from '../../ports/store.ts'

/** Another transaction was faster to change what this one has read or would write, so that this one cannot be serial with it. */
export class Overtaken extends StorageUnavailable {
  override readonly name: string = 'Overtaken'
}

/** Whether the database can still be believed. One for all connections of a store. */
export interface PostgresHealth {
  /** Throws `StoreBroken` from the first failure on after which the store's word is worth nothing. */
  check(): void
  /** The error to reject with in place of one that PostgreSQL answered. Remembers a failure that breaks the store. */
  judge(error: unknown): unknown
  /** From now on the store is broken, if it was not before. Answers the error to reject with. */
  breakWith(reason: string, cause: unknown): StoreBroken
}

export function createPostgresHealth(): PostgresHealth {
  let broken: StoreBroken | undefined

  function breakWith(reason: string, cause: unknown): StoreBroken {
    broken ??= new StoreBroken(reason, { cause })
    return broken
  }

  return {
    check() {
      if (broken !== undefined) throw broken
    },
    judge(error) {
      if (broken !== undefined) return broken
      const code = error instanceof DatabaseError ? error.code : undefined
      if (code === undefined) return error
      if (overtaken.has(code)) return new Overtaken('Another transaction was faster', { cause: error })
      if (isPassing(code)) return new StorageUnavailable('The database cannot be used now', { cause: error })
      if (!isBreaking(code)) return error
      return breakWith('The database failed and cannot be believed any more', error)
    },
    breakWith,
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: the first two characters are the class.

/** serialization_failure, deadlock_detected */
const overtaken: ReadonlySet<string> = new Set(['40001', '40P01'])

/** Connection, resources (a full disk among them: 53100), and what an operator does: stopping, starting, cancelling. */
const passingClasses: ReadonlySet<string> = new Set(['08', '53', '57'])

/**
 * lock_not_available, both timeouts of a transaction, and feature_not_supported: so answers a server that became a standby, and one whose tables
 * another release has changed under a prepared statement. A new connection mends both.
 */
const passing: ReadonlySet<string> = new Set(['55P03', '25P03', '25P04', '0A000'])

function isPassing(code: string): boolean {
  return passing.has(code) || passingClasses.has(code.slice(0, 2))
}

/**
 * Failed calls to the operating system (class 58), data_corrupted and index_corrupted. A failed sync is not among them: PostgreSQL itself then stops
 * every process and recovers from its log, so that the store meets a lost connection.
 */
function isBreaking(code: string): boolean {
  return code.startsWith('58') || code === 'XX001' || code === 'XX002'
}
