import { DatabaseSync } from 'node:sqlite'
import { sqliteDialect } from '../../../rows/dialects.ts'
import { statementsAfter, tableOfMigrations } from './migrations.ts'

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[]
}

/**
 * Every table of this release, each after those that it refers to. Read from the schema itself, so that none can be
 * forgotten. Without `migrations`, which each database writes for itself.
 */
export function tablesOfRelease(): readonly Table[] {
  tables ??= readTables()
  return tables
}

let tables: readonly Table[] | undefined

function readTables(): readonly Table[] {
  const database = new DatabaseSync(':memory:')
  try {
    for (const statement of [tableOfMigrations(sqliteDialect), ...statementsAfter(0, sqliteDialect)])
      database.exec(statement)
    const names = database
      .prepare(`select name from sqlite_schema where type = 'table' and name <> 'migrations' order by rowid`)
      .all()
    return names.map(({ name }) => tableIn(database, String(name)))
  } finally {
    database.close()
  }
}

function tableIn(database: DatabaseSync, name: string): Table {
  const columns = database
    .prepare('select name, pk from pragma_table_info(?) order by cid')
    .all(name)
    .map((row) => ({ name: String(row.name), place: Number(row.pk) }))
  const key = columns.filter(({ place }) => place > 0).toSorted((one, other) => one.place - other.place)
  return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) }
}

/** Quoted, because `offset` is a word of the language. */
export function listed(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ')
}
