/** A PostgreSQL database's rows of one instant in a SQLite file, so that the same checks read both. */
import { copyRows } from '../../packages/server/src/adapters/sql/copying/copyRows.ts'
import { withPostgresRows } from '../../packages/server/src/adapters/sql/copying/postgresRows.ts'
import { createSqliteFrom } from '../../packages/server/src/adapters/sql/copying/sqliteRows.ts'

export async function copyPostgres(url: string, path: string): Promise<void> {
  await withPostgresRows(url, (from) => createSqliteFrom(path, (to) => copyRows({ from, to })))
}
