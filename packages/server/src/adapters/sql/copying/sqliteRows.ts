import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { sqliteDialect } from '../../../rows/dialects.ts'
import { statementsAfter, tableOfMigrations } from '../migrations/migrations.ts'
import { listed, type Table } from '../migrations/tables.ts'
import { MAX_PAGE, type Row, type RowSource, type RowTarget } from './copyRows.ts'

/** Runs `work` on one snapshot of the database at `path`. */
export async function withSqliteRows<Result>(
  path: string,
  work: (rows: RowSource) => Promise<Result>,
): Promise<Result> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    database.exec('begin')
    return await work({ pages: (table) => pagesOf(database, table) })
  } finally {
    database.close()
  }
}

/** A single file, mode 0600, durable when it resolves. If `work` throws, the caller removes what is left. */
export async function createSqliteFrom<Result>(
  path: string,
  work: (rows: RowTarget) => Promise<Result>,
): Promise<Result> {
  // SQLite would create it with a mode that depends on the umask.
  closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600))
  const database = new DatabaseSync(path)
  let result: Result
  try {
    database.exec('pragma journal_mode = delete; pragma foreign_keys = on; begin')
    createTables(database)
    result = await work(targetOver(database))
    database.exec('commit')
  } finally {
    database.close()
  }
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return result
}

function createTables(database: DatabaseSync): void {
  for (const statement of [tableOfMigrations(sqliteDialect), ...statementsAfter(0, sqliteDialect)])
    database.exec(statement)
}

function targetOver(database: DatabaseSync): RowTarget {
  const insertions = new Map<string, StatementSync>()
  return {
    pages: (table) => pagesOf(database, table),
    async add(table, rows) {
      const { name, columns } = table
      const insertion = insertions.get(name) ?? database.prepare(insertionInto(table))
      insertions.set(name, insertion)
      for (const row of rows) insertion.run(...columns.map((column): SQLInputValue => row[column] ?? null))
    },
  }
}

function insertionInto({ name, columns }: Table): string {
  return `insert into ${name} (${listed(columns)}) values (${columns.map(() => '?').join(', ')})`
}

async function* pagesOf(database: DatabaseSync, { name, columns, key }: Table): AsyncIterable<readonly Row[]> {
  let page: Row[] = []
  const statement = database.prepare(`select ${listed(columns)} from ${name} order by ${listed(key)}`)
  for (const row of statement.iterate()) {
    // Numbers, as no value exceeds 2^53-1: SQLite throws for a larger one.
    page.push(row as Row)
    if (page.length < MAX_PAGE) continue
    yield page
    page = []
    // SQLite answers at once: without a pause no timer of the process would run until the end of the table.
    await setImmediate()
  }
  if (page.length > 0) yield page
}
