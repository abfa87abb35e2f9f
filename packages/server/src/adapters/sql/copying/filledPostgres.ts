/** A PostgreSQL database that receives another's rows at once. Until then a mark, an empty table, stops servers. */
import type { Client } from 'pg'
import { BackupFailed } from '../../../ports/backup.ts'
import { tablesOfRelease } from '../migrations/tables.ts'
import { withClient } from '../postgres/client.ts'
import { NODE_LOCK } from '../postgres/nodeConnection.ts'
import { checkPostgresSchema } from '../postgres/schema.ts'
import { openPostgresStore } from '../postgres/store.ts'
import { UNFINISHED } from '../postgres/unfinished.ts'
import { copyRows } from './copyRows.ts'
import { postgresTarget } from './postgresRows.ts'
import { readSnapshot } from './snapshot.ts'
import { withSqliteRows } from './sqliteRows.ts'

/** Creates the tables and the mark; may be repeated. Throws `BackupFailed` if the database has rows. */
export async function markUnfinished(url: string): Promise<void> {
  await endUnfinished(url)
  await checkPostgresSchema(url)
  await (await openPostgresStore({ url })).close()
  await withClient(url, async (client) => {
    await requireEmpty(client)
    await client.query(`create table if not exists ${UNFINISHED} ()`)
  })
}

export async function endUnfinished(url: string): Promise<void> {
  await withClient(url, (client) => client.query(`drop table if exists ${UNFINISHED}`))
}

/**
 * Copies all rows of the SQLite database at `path`, and ends the mark, in one transaction. Throws `BackupFailed` if the
 * database has rows, and `RowsDiffer`: then nothing was changed. If the connection is lost at the end, it is unknown
 * whether the rows are there.
 */
export async function fillPostgres(
  url: string,
  path: string,
  onProgress: (rows: number) => void = () => undefined,
): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('begin isolation level repeatable read')
    await requireNoNode(client)
    await requireEmpty(client)
    const target = postgresTarget(client)
    await withSqliteRows(path, (from) => copyRows({ from, to: target }, onProgress))
    await target.countOn()
    await client.query(`drop table if exists ${UNFINISHED}`)
    await client.query('commit')
  })
}

/** Whether it has the rows of the SQLite database at `path`, perhaps more: its first key and last receipt. */
export async function isFilledFrom(url: string, path: string): Promise<boolean> {
  const snapshot = readSnapshot(path)
  const [firstKey, head] = [snapshot.firstKeyId(), snapshot.head()]
  snapshot.close()
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      `select to_regclass('${UNFINISHED}') as mark, to_regclass('log_head') as tables`,
    )
    if (rows[0]?.mark !== null || rows[0]?.tables === null) return false
    const keys = await client.query('select from attestation_keys where key_id = $1', [firstKey ?? ''])
    const receipts = await client.query('select from receipts where receipt_hash = $1', [head?.receiptHash ?? ''])
    return keys.rowCount === 1 && (head === undefined || receipts.rowCount === 1)
  })
}

/** Until the end of the transaction no node starts. */
async function requireNoNode(client: Client): Promise<void> {
  const { rows } = await client.query(`select pg_try_advisory_xact_lock(${NODE_LOCK}) as locked`)
  if (rows[0]?.locked !== true) throw new BackupFailed('a node serves this database: stop it first')
}

async function requireEmpty(client: Client): Promise<void> {
  for (const { name } of tablesOfRelease()) {
    const { rowCount } = await client.query(`select from ${name} limit 1`)
    if (rowCount !== 0)
      throw new BackupFailed(
        `the database has rows already (in the table ${name}), and nothing is replaced. Name an empty database.`,
      )
  }
}
