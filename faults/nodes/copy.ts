/** The rows of a PostgreSQL database in a file of SQLite, so that the same checks read both. The rows are of one instant. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Client } from 'pg'
import { typesOfPort } from '../../packages/server/src/adapters/sql/postgresTypes.ts'
import { openSqliteStore } from '../../packages/server/src/adapters/sql/sqlite.ts'

const ROWS_AT_ONCE = 5_000

export async function copyPostgres(url: string, path: string): Promise<void> {
  // Its migrations make the tables.
  await (await openSqliteStore({ path })).close()
  const client = new Client({ connectionString: url, types: typesOfPort })
  const target = new DatabaseSync(path)
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read, read only')
    target.exec('pragma foreign_keys = off; begin')
    for (const table of tablesOf(target)) await copyTable(client, target, table)
    target.exec('commit')
  } finally {
    target.close()
    await client.end()
  }
}

function tablesOf(target: DatabaseSync): readonly string[] {
  const query = `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'migrations'`
  return target
    .prepare(query)
    .all()
    .map(({ name }) => String(name))
}

async function copyTable(client: Client, target: DatabaseSync, table: string): Promise<void> {
  const columns = target
    .prepare(`select name from pragma_table_info(?)`)
    .all(table)
    .map(({ name }) => `"${String(name)}"`)
  target.exec(`delete from "${table}"`)
  const places = columns.map(() => '?').join(', ')
  const insert = target.prepare(`insert into "${table}" (${columns.join(', ')}) values (${places})`)
  await client.query(`declare copied no scroll cursor for select ${columns.join(', ')} from "${table}"`)
  for (;;) {
    const { rows } = await client.query<SQLInputValue[]>({
      text: `fetch ${ROWS_AT_ONCE} from copied`,
      rowMode: 'array',
    })
    for (const row of rows) insert.run(...row.map(plain))
    if (rows.length < ROWS_AT_ONCE) break
  }
  await client.query('close copied')
}

/** SQLite has no booleans. */
function plain(value: unknown): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue)
}
