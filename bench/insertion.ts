/** Rows straight into the server's tables. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { listed, tablesOfRelease } from '../packages/server/src/adapters/sql/migrations/tables.ts'

type Values = Readonly<Record<string, SQLInputValue>>

/** Every row names the same columns. The others are null, or what the table says. */
export function inserting(database: DatabaseSync, name: string): (row: Values) => void {
  const columns = tablesOfRelease().find((table) => table.name === name)?.columns ?? []
  let named: readonly string[] = []
  let statement: StatementSync | undefined
  return (row) => {
    if (statement === undefined) {
      named = columns.filter((column) => column in row)
      statement = database.prepare(`insert into ${name} (${listed(named)}) values (${named.map(() => '?').join(', ')})`)
    }
    statement.run(...named.map((column) => row[column] ?? null))
  }
}
