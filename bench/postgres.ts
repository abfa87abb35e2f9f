/** A PostgreSQL server: `BLINDKEEP_TEST_POSTGRES`, or one of our own. And how fast its bare driver inserts. */
import { Pool } from 'pg'
import { startPostgresServer } from '../packages/server/src/testing/postgresServer.ts'
import { createDatabase } from '../testing/postgresDatabase.ts'
import { share } from './load.ts'
import { type Lane, type RowOptions, shared } from './row.ts'

const openPostgres = shared(async ({ atEnd }) => {
  if (process.env.BLINDKEEP_TEST_POSTGRES !== undefined) return process.env.BLINDKEEP_TEST_POSTGRES
  const server = await startPostgresServer()
  atEnd(server.stop)
  return server.url('postgres')
})

/** The URL of a database without tables. It ends with its server. */
export async function newDatabase(options: RowOptions): Promise<string> {
  return (await createDatabase(await openPostgres(options))).url
}

/** The settings of a server that has its rows on PostgreSQL, in a database without tables. */
export const onPostgres = shared(async (options) => ({ DATABASE_URL: await newDatabase(options) }))

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
