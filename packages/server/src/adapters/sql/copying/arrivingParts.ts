import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { ArrivingParts } from '../../../ports/backup.ts'

const KEPT = `select key, "offset", length from parts where upload_id = ? and state = 'kept' order by "offset"`
const BEGUN = `insert into parts (key, upload_id, state, due) values (?, ?, 'writing', 0)`
const NOW_KEPT = `update parts set state = 'kept', "offset" = ?, length = ?, checksum = ?, due = null where key = ?`
const FORGOTTEN = `update parts set state = 'deleting', due = 0 where upload_id = ?`

/**
 * In the table `parts` of the SQLite database at `path`. Each part is on disk before its bytes are on their way: a part
 * that is never kept is due at once, and the server removes what is at its key.
 */
export function createArrivingParts(path: string): ArrivingParts {
  const run = <Result>(work: (database: DatabaseSync) => Result): Result => {
    const database = new DatabaseSync(path, { timeout: 5_000 })
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  const change = async (statement: string, ...values: readonly SQLInputValue[]): Promise<void> => {
    run((database) => database.prepare(statement).run(...values))
  }
  return {
    partsOf: async (location) =>
      run((database) => database.prepare(KEPT).all(idIn(location))).map(({ key, offset, length }) => ({
        key: String(key),
        offset: Number(offset),
        length: Number(length),
      })),
    begin: (location, key) => change(BEGUN, key, idIn(location)),
    keep: ({ key, offset, length, checksum }) => change(NOW_KEPT, offset, length, checksum, key),
    forget: (location) => change(FORGOTTEN, idIn(location)),
  }
}

/** A location ends in its upload id. */
const idIn = (location: string): string => location.slice(68)
