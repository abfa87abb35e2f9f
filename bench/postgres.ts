/** A PostgreSQL server: `BLINDKEEP_TEST_POSTGRES`, or the row's own. And how fast its bare driver inserts. */
import { Pool } from 'pg'
import { startPostgresServer } from '../packages/server/src/testing/postgresServer.ts'
import { createDatabase } from '../testing/postgresDatabase.ts'
import { share } from './load.ts'
import type { Lane, RowOptions } from './row.ts'

export interface Postgres {
  /** Of a database of the row's own, without tables. It ends with the server. */
  newDatabase(): Promise<string>
}

export async function openPostgres({ atEnd }: Pick<RowOptions, 'atEnd'>): Promise<Postgres> {
  const server = process.env.BLINDKEEP_TEST_POSTGRES ?? (await startOwn(atEnd))
  return { newDatabase: async () => (await createDatabase(server)).url }
}

async function startOwn(atEnd: RowOptions['atEnd']): Promise<string> {
  const server = await startPostgresServer()
  atEnd(server.stop)
  return server.url('postgres')
}

interface Inserts {
  readonly url: string
  /** Transactions. */
  readonly count: number
  readonly rows: number
  /** Of each row, besides its key. */
  readonly bytes: number
  /** Of which each waits for one transaction. */
  readonly clients: number
}

/** Transactions of one statement that inserts `rows` rows: one answer and commit each, the least possible. */
export async function bareInsertLane(
  { atEnd }: Pick<RowOptions, 'atEnd'>,
  { url, count, rows, bytes, clients }: Inserts,
): Promise<Lane> {
  const pool = new Pool({ connectionString: url, max: clients })
  atEnd(async () => pool.end())
  await pool.query('create table bare (id bigint generated always as identity primary key, body bytea not null)')
  const values = Array.from({ length: rows }, (_, at) => `($${at + 1})`).join(', ')
  const parameters = Array.from({ length: rows }, () => Buffer.alloc(bytes, 7))
  const statement = { name: 'bare', text: `insert into bare (body) values ${values}`, values: parameters }
  return {
    name: `pg: one insert of ${rows} rows`,
    async measure() {
      const startedAt = performance.now()
      await share(Array.from({ length: clients }), count, async () => void (await pool.query(statement)))
      return { value: (count * 1000) / (performance.now() - startedAt) }
    },
    clear: async () => void (await pool.query('truncate bare')),
  }
}
