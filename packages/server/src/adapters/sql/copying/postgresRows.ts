import type { Client } from 'pg'
import { listed, type Table, tablesOfRelease } from '../migrations/tables.ts'
import { withClient } from '../postgres/client.ts'
import { jsonOf, MAX_PAGE, type Row, type RowSource, type RowTarget } from './copyRows.ts'

/** Runs `work` on one snapshot of the database at `url`. */
export function withPostgresRows<Result>(url: string, work: (rows: RowSource) => Promise<Result>): Promise<Result> {
  return withClient(url, async (client) => {
    await client.query('begin isolation level repeatable read, read only')
    const result = await work({ pages: (table) => pagesOf(client, table) })
    await client.query('rollback')
    return result
  })
}

/** Rows to add in the transaction that `client` has begun. `countOn` has to follow the last row. */
export function postgresTarget(client: Client): RowTarget & { countOn(): Promise<void> } {
  return {
    pages: (table) => pagesOf(client, table),
    async add(table, rows) {
      await client.query(insertionInto(table), [`[${rows.map((row) => jsonOf(table, row)).join(',')}]`])
    },
    /** The counters of numbered rows go on after the highest number. */
    async countOn() {
      const { rows } = await client.query<{ readonly relname: string; readonly attname: string }>(
        `select relname, attname from pg_attribute join pg_class on pg_class.oid = attrelid
         where attidentity <> '' and relnamespace = current_schema()::regnamespace`,
      )
      const ours = new Set(tablesOfRelease().map(({ name }) => name))
      for (const { relname, attname } of rows)
        if (ours.has(relname))
          await client.query(
            `select setval(pg_get_serial_sequence($1, $2), greatest(max("${attname}"), 1), max("${attname}") is not null)
             from ${relname}`,
            [relname, attname],
          )
    },
  }
}

/** One parameter for all rows, so neither their number nor that of the columns is bounded by the protocol. */
function insertionInto({ name, columns }: Table): string {
  return `insert into ${name} (${listed(columns)}) overriding system value
    select ${listed(columns)} from json_populate_recordset(null::${name}, $1::json)`
}

async function* pagesOf(client: Client, { name, columns, key }: Table): AsyncIterable<readonly Row[]> {
  await client.query(`declare page no scroll cursor for select ${listed(columns)} from ${name} order by ${listed(key)}`)
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${MAX_PAGE} from page`)
    if (rows.length > 0) yield rows
    if (rows.length < MAX_PAGE) break
  }
  await client.query('close page')
}
