import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

/**
 * Objects a database and looks it through, in a thread: both take as long as the database is large, and the backup has to renew its pause meanwhile.
 *
 * `VACUUM INTO` reads one snapshot of the log, beside which others write on. `sqlite3_backup`, which Node offers too, begins anew each time that another
 * process commits and under load never ends; in one step it takes as long as this and brings along what was deleted.
 */
export interface SnapshotOrder {
  readonly source: string
  /** An empty file that is there, so that its mode is ours. */
  readonly target: string
}

// What the thread is started with is posted by `snapshot.ts` alone.
const { source, target } = workerData as SnapshotOrder

const database = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
try {
  database.prepare('vacuum into ?').run(target)
} finally {
  database.close()
}
const object = new DatabaseSync(target, { readOnly: true })
try {
  const faults = object
    .prepare('pragma integrity_check(10)')
    .all()
    .map((row) => String(row.integrity_check))
  if (faults.join() !== 'ok') throw new Error(`the database is damaged: ${faults.join('; ')}`)
} finally {
  object.close()
}
const file = openSync(target, 'r+')
try {
  fsyncSync(file)
} finally {
  closeSync(file)
}
