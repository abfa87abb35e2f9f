import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { CappedMap } from '@blindkeep/protocol/cappedMap'
import { createDb, type Db, type Query, type Rows, sqliteKind } from '../../../rows/db.ts'
import type { Health } from './health.ts'

/** One connection of `node:sqlite`. */
export interface SqliteConnection {
  /** Runs a statement that begins or ends a transaction or savepoint. Never a query. */
  control(statement: string): void
  inTransaction(): boolean
  /**
   * Writes a long log into the database's file, outside of a transaction. SQLite does it by itself after a commit, but
   * hides the errors of that file.
   */
  checkpoint(): void
  /** Changes when any other connection has committed (https://www.sqlite.org/pragma.html#pragma_data_version). */
  dataVersion(): number
  /** Runs `work` with a `db` that refuses everything afterwards: one transaction cannot use the next one. */
  lend<Result>(work: (db: Db) => Promise<Result>): Promise<Result>
  close(): void
}

/** How long SQLite waits for a lock of another process, for instance of a backup. */
const BUSY_TIMEOUT_MS = 5_000
/** 16 MB. */
const MAX_LOG_PAGES = 4000
/** Texts of queries are few and fixed. This bounds the memory if a mistake adds more. */
const MAX_STATEMENTS = 512

export function openConnection(
  location: string,
  options: { readonly health: Health; readonly queryOnly: boolean },
): SqliteConnection {
  const database = new DatabaseSync(location, { timeout: BUSY_TIMEOUT_MS })
  try {
    refuseOldSqlite(versionOf(database))
    database.exec(pragmas(options.queryOnly))
    refuseOtherJournals(database)
  } catch (error) {
    database.close()
    throw options.health.judge(error)
  }
  const statements = createStatements(database, options.health)
  return {
    control: (statement) => {
      statements.run(statement, [])
    },
    inTransaction: () => database.isTransaction,
    checkpoint() {
      // https://www.sqlite.org/pragma.html#pragma_wal_checkpoint: `noop` only says how long the log is.
      const [[, pages] = []] = statements.run('pragma wal_checkpoint(noop)', []).rows
      if (Number(pages) >= MAX_LOG_PAGES) statements.run('pragma wal_checkpoint(passive)', [])
    },
    dataVersion: () => Number(statements.run('pragma data_version', []).rows[0]?.[0]),
    lend: (work) => lend(statements, work),
    close: () => database.close(),
  }
}

/** FULL syncs the log on each commit: it survives a power cut. Sorts in memory: a full disk fails only writes. */
function pragmas(queryOnly: boolean): string {
  return `
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma temp_store = memory;
    pragma cache_size = -16384;
    pragma wal_autocheckpoint = 0;
    pragma journal_size_limit = 67108864;
    pragma query_only = ${queryOnly ? 'on' : 'off'};
  `
}

function versionOf(database: DatabaseSync): string {
  return String(database.prepare('select sqlite_version() as version').get()?.version)
}

/** Before 3.51.3 a reset of the log could corrupt a database (https://www.sqlite.org/wal.html, the WAL-reset bug). */
export function refuseOldSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const number = major * 1_000_000 + minor * 1_000 + patch
  if (number >= 3_051_003) return
  throw new Error(
    `SQLite ${version} can corrupt a database; 3.51.3 or later is needed. Start with a newer Node.js: 22.22.3, 24.15 or later.`,
  )
}

/** Without shared memory SQLite silently keeps another journal mode, in which reads and writes block each other. */
function refuseOtherJournals(database: DatabaseSync): void {
  const mode = database.prepare('pragma journal_mode').get()?.journal_mode
  if (mode === 'wal' || mode === 'memory') return
  throw new Error(
    `SQLite cannot keep a write-ahead log where the database is (journal_mode is ${String(mode)}): put it on a local disk.`,
  )
}

interface Statements {
  run(text: string, parameters: Query['parameters']): Rows
}

interface Prepared {
  readonly statement: StatementSync
  /** None if it gives no rows. */
  readonly columns: Rows['columns']
}

/** For a query that is asked once. */
export function answerOf(database: DatabaseSync, { sql, parameters }: Query): Rows {
  return run(prepare(database, sql), parameters)
}

function prepare(database: DatabaseSync, text: string): Prepared {
  const statement = database.prepare(text)
  statement.setReturnArrays(true)
  return { statement, columns: statement.columns() }
}

function run({ statement, columns }: Prepared, parameters: Query['parameters']): Rows {
  // Kysely types parameters as unknown. node:sqlite throws for a value that it cannot bind.
  const values = parameters as SQLInputValue[]
  if (columns.length === 0) return { columns, rows: [], changed: Number(statement.run(...values).changes) }
  // The types of Node say objects (https://nodejs.org/api/sqlite.html#statementsetreturnarraysenabled).
  const rows = statement.all(...values) as unknown as SQLOutputValue[][]
  return { columns, rows, changed: 0 }
}

/** Keeps prepared statements by their text. Drops the oldest ones first. */
function createStatements(database: DatabaseSync, health: Health): Statements {
  const kept = new CappedMap<string, Prepared>(MAX_STATEMENTS)

  function prepared(text: string): Prepared {
    const known = kept.get(text)
    if (known !== undefined) return known
    const fresh = prepare(database, text)
    kept.set(text, fresh)
    return fresh
  }

  return {
    run(text, parameters) {
      health.check()
      try {
        return run(prepared(text), parameters)
      } catch (error) {
        throw health.judge(error)
      }
    },
  }
}

async function lend<Result>(statements: Statements, work: (db: Db) => Promise<Result>): Promise<Result> {
  let isOver = false
  const db = createDb(sqliteKind, async ({ sql, parameters }) => {
    if (isOver) throw new Error('The transaction is over')
    return statements.run(sql, parameters)
  })
  try {
    return await settledInMicrotasks(() => work(db))
  } finally {
    isOver = true
  }
}

/**
 * Rejects a `work` that has not settled when the event loop turns. Queries of this connection are synchronous inside,
 * so a `work` that awaits only them settles earlier. One that awaits anything else, such as a disk or a client, would
 * delay every other transaction.
 */
function settledInMicrotasks<Result>(work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const turned = setImmediate(() => reject(new Error('A transaction awaited something other than its tx')))
    const settle = (answer: () => void) => {
      clearImmediate(turned)
      answer()
    }
    work().then(
      (result) => settle(() => resolve(result)),
      (error) => settle(() => reject(error)),
    )
  })
}
