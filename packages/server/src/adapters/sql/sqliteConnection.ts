import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Schema } from './schema.ts'
import type { Health } from './sqliteHealth.ts'

/** One connection of `node:sqlite`, and Kysely over it. */
export interface SqliteConnection {
  /** For what surrounds a transaction. Never for queries. */
  control(statement: string): void
  inTransaction(): boolean
  /** Runs `work` with a `db` that is dead afterwards: nothing of one transaction can reach into another's. */
  lend<Result>(work: (db: Kysely<Schema>) => Promise<Result>): Promise<Result>
  close(): void
}

/** What SQLite waits for another process, a backup say, before it gives up. */
const busyTimeoutMs = 5_000
/** Texts of queries are few and fixed; this bounds what a mistake could add. */
const statementsMax = 512

export function openConnection(
  location: string,
  options: { readonly health: Health; readonly queryOnly: boolean },
): SqliteConnection {
  const database = new DatabaseSync(location, { timeout: busyTimeoutMs })
  try {
    refuseOldSqlite(versionOf(database))
    database.exec(pragmas(options.queryOnly))
    refuseOtherJournals(database)
  } catch (error) {
    database.close()
    throw options.health.judge(error)
  }
  const statements = createStatements(database, options.health)
  const kysely = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => createDriver(statements),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  return {
    control: (statement) => {
      statements.run(statement, [])
    },
    inTransaction: () => database.isTransaction,
    lend: (work) => kysely.connection().execute((db) => settledInMicrotasks(() => work(db))),
    close: () => database.close(),
  }
}

/** FULL syncs the log on each commit, so that a commit survives a power cut. Sorting stays in memory: a full disk then fails writes alone. */
function pragmas(queryOnly: boolean): string {
  return `
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma temp_store = memory;
    pragma cache_size = -16384;
    pragma journal_size_limit = 67108864;
    pragma query_only = ${queryOnly ? 'on' : 'off'};
  `
}

function versionOf(database: DatabaseSync): string {
  return String(database.prepare('select sqlite_version() as version').get()?.version)
}

/** Before 3.51.3 two connections could corrupt a database while its log was reset (https://www.sqlite.org/wal.html, the WAL-reset bug). */
export function refuseOldSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const number = major * 1_000_000 + minor * 1_000 + patch
  if (number >= 3_051_003) return
  throw new Error(`SQLite ${version} can corrupt a database; 3.51.3 or later is needed. Start with a newer Node.js.`)
}

/** A file system that cannot share memory between connections silently leaves another journal in place, under which reads and writes block each other. */
function refuseOtherJournals(database: DatabaseSync): void {
  const mode = database.prepare('pragma journal_mode').get()?.journal_mode
  if (mode === 'wal' || mode === 'memory') return
  throw new Error(
    `SQLite cannot keep a write-ahead log where the database is (journal_mode is ${String(mode)}): put it on a local disk.`,
  )
}

interface Statements {
  run(text: string, parameters: readonly unknown[]): QueryResult<unknown>
}

interface Prepared {
  readonly statement: StatementSync
  readonly givesRows: boolean
}

/** Statements by their text, the longest kept ones forgotten first. */
function createStatements(database: DatabaseSync, health: Health): Statements {
  const kept = new Map<string, Prepared>()

  function prepared(text: string): Prepared {
    const known = kept.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
    const fresh = { statement, givesRows: statement.columns().length > 0 }
    const oldest = kept.keys().next().value
    if (kept.size >= statementsMax && oldest !== undefined) kept.delete(oldest)
    kept.set(text, fresh)
    return fresh
  }

  return {
    run(text, parameters) {
      health.check()
      try {
        const { statement, givesRows } = prepared(text)
        // Kysely types parameters as unknown; node:sqlite itself throws for what it cannot bind.
        const values = parameters as SQLInputValue[]
        if (givesRows) return { rows: statement.all(...values) }
        return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
      } catch (error) {
        throw health.judge(error)
      }
    },
  }
}

/** Kysely's view of the one connection. Each loan is an object of its own, which refuses once it is given back. */
function createDriver(statements: Statements): Driver {
  const over = new WeakSet<DatabaseConnection>()
  const outside = () => Promise.reject(new Error('Transactions are begun by the store alone'))
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      const connection: DatabaseConnection = {
        async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
          if (over.has(connection)) throw new Error('The transaction is over')
          // The row's type is what the schema says of the query, as in each of Kysely's own drivers.
          return statements.run(query.sql, query.parameters) as QueryResult<Row>
        },
        streamQuery() {
          throw new Error('Rows are not streamed')
        },
      }
      return connection
    },
    async releaseConnection(connection) {
      over.add(connection)
    },
    beginTransaction: outside,
    commitTransaction: outside,
    rollbackTransaction: outside,
    destroy: () => Promise.resolve(),
  }
}

/**
 * What awaits only queries of this connection settles before the event loop turns, as they are synchronous inside. What has not by then
 * awaits something else, a disk or a client perhaps, and would hold up every other transaction.
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
