/** The rows of a PostgreSQL database in a file of SQLite, as a backup has them, so that the same checks read both. The rows are of one instant. */
import { copyRows } from '../../packages/server/src/adapters/sql/copying/copyRows.ts'
import { withPostgresRows } from '../../packages/server/src/adapters/sql/copying/postgresRows.ts'
import { createSqliteFrom } from '../../packages/server/src/adapters/sql/copying/sqliteRows.ts'

export async function copyPostgres(url: string, path: string): Promise<void> {
  await withPostgresRows(url, (from) => createSqliteFrom(path, (to) => copyRows({ from, to })))
}
