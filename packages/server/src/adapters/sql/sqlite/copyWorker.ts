import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

/**
 * Copies a database and checks the copy, in a thread: both take longer the larger the database is, and the backup has
 * to renew the collector's pause meanwhile.
 *
 * `VACUUM INTO` reads one snapshot while other connections write. Node also offers `sqlite3_backup`, but that starts
 * again after each commit of another process and never ends under load; in a single step it takes as long, and it also
 * copies deleted rows.
 */
export interface CopyOrder {
  readonly source: string
  /** An empty file, which the caller created with the right mode. */
  readonly target: string
}

// Only `copy.ts` starts this thread.
const { source, target } = workerData as CopyOrder

const database = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
try {
  database.prepare('vacuum into ?').run(target)
} finally {
  database.close()
}
const copy = new DatabaseSync(target, { readOnly: true })
try {
  const faults = copy
    .prepare('pragma integrity_check(10)')
    .all()
    .map((row) => String(row.integrity_check))
  if (faults.join() !== 'ok') throw new Error(`the database is damaged: ${faults.join('; ')}`)
} finally {
  copy.close()
}
const file = openSync(target, 'r+')
try {
  fsyncSync(file)
} finally {
  closeSync(file)
}
