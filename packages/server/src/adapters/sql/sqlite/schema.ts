import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { createDb, sqliteKind } from '../../../rows/db.ts'
import { DatabaseTooNew, type SchemaState, stateOf } from '../migrations/migrations.ts'
import { requireOwnSqlite } from '../migrations/ownSchema.ts'
import { answerOf } from './connection.ts'
import { copiesOf } from './upgradeCopies.ts'

/**
 * How far the database at `path`, perhaps missing, is. Changes and creates no file, beside a server or not. Throws
 * `ForeignSchema`.
 */
export async function sqliteSchema(path: string): Promise<SchemaState> {
  if (!existsSync(path)) return EMPTY
  const database = new DatabaseSync(locationOf(path), { readOnly: true, timeout: 5_000 })
  try {
    const table = database.prepare(`select 1 from sqlite_schema where type = 'table' and name = 'migrations'`).get()
    if (table === undefined) return EMPTY
    const { kysely } = createDb(sqliteKind, async (query) => answerOf(database, query))
    await requireOwnSqlite(kysely)
    return await stateOf(kysely)
  } finally {
    database.close()
  }
}

const EMPTY: SchemaState = { done: 0, serves: 0 }

/** Without a log no process has the database open, and SQLite would create one to read it, and leave it behind. */
function locationOf(path: string): string {
  return existsSync(`${path}-wal`) ? path : `${pathToFileURL(path).href}?immutable=1`
}

/** The error with the way back for `path`: the copy for this version, unless receipts were signed since. */
export function withWayBack(error: unknown, path: string): unknown {
  if (!(error instanceof DatabaseTooNew)) return error
  const { state, known } = error
  const copy = copiesOf(path).find(({ migration }) => migration === known)
  if (copy === undefined) return error
  return new DatabaseTooNew(
    state,
    known,
    `go back: while the newer version has taken no request yet, by putting ${copy.path} in the place of ${path} and removing ${path}-wal and -shm; later by restoring your backup from before that`,
  )
}
