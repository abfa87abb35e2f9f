import { DatabaseError } from 'pg'
import { StorageFull } from '../../../ground/storageErrors.ts'
import { StorageUnavailable, StoreBroken } from '../../../ports/store.ts'

/** The server undid the transaction because others, perhaps other software, wait for it. Try again. */
export class Overtaken extends StorageUnavailable {
  override readonly name: string = 'Overtaken'
}

/** Whether the database can still be trusted. All connections of a store share one. */
export interface PostgresHealth {
  /** Throws `StoreBroken` after the first failure that makes the store untrustworthy. */
  check(): void
  /** Translates an error of PostgreSQL into the error to throw. Remembers a failure that breaks the store. */
  judge(error: unknown): unknown
}

export function createPostgresHealth(): PostgresHealth {
  let broken: StoreBroken | undefined

  return {
    check() {
      if (broken !== undefined) throw broken
    },
    judge(error) {
      if (broken !== undefined) return broken
      const code = error instanceof DatabaseError ? error.code : undefined
      if (code === undefined) return error
      if (overtaken.has(code)) return new Overtaken('Another transaction was in the way', { cause: error })
      if (code === DISK_FULL) return new StorageFull('The disk of the database is full', { cause: error })
      if (isPassing(code)) return new StorageUnavailable('The database cannot be used now', { cause: error })
      if (!isBreaking(code)) return error
      broken = new StoreBroken('The database failed and cannot be trusted any more', { cause: error })
      return broken
    },
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: the first two characters are the class.

const DISK_FULL = '53100'

/** serialization_failure, deadlock_detected */
const overtaken: ReadonlySet<string> = new Set(['40001', '40P01'])

/** Connection, resources, and actions of an operator: stopping, starting, cancelling. */
const passingClasses: ReadonlySet<string> = new Set(['08', '53', '57'])

/**
 * lock_not_available, both timeouts of a transaction, in_failed_sql_transaction (the answer to a statement that was
 * sent after one that failed, before that was known), and what a new connection repairs: read_only_sql_transaction and
 * feature_not_supported, which a server answers after it became a standby, and the latter also after another release
 * changed the tables of a prepared statement.
 */
const passing: ReadonlySet<string> = new Set(['55P03', '25P02', '25P03', '25P04', '25006', '0A000'])

function isPassing(code: string): boolean {
  return passing.has(code) || passingClasses.has(code.slice(0, 2))
}

/**
 * Failed system calls (class 58), data_corrupted and index_corrupted. A failed sync is not among them: PostgreSQL then
 * stops every process itself and recovers from its log, so the store only sees a lost connection.
 */
function isBreaking(code: string): boolean {
  return code.startsWith('58') || code === 'XX001' || code === 'XX002'
}
