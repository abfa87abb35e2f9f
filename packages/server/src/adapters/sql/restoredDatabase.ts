import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BackupFailed, type RestoredDatabase } from '../../ports/backup.ts'
import { readSnapshot } from './snapshot.ts'
import { openSqliteStore } from './sqlite.ts'

/** The ending of a database's name until its restore is complete. */
export const RESTORING = '.restoring'
/** The endings of a database and of SQLite's files beside it. SQLite would apply a foreign log to a database of the same name. */
const BESIDE: readonly string[] = ['', '-wal', '-shm', '-journal']

/** Throws `BackupFailed` if there is a database at `path`, or a file that SQLite left of one. */
export function createRestoredDatabase(path: string): RestoredDatabase {
  const found = BESIDE.map((ending) => path + ending).find(existsSync)
  if (found !== undefined)
    throw new BackupFailed(
      `there is ${found} already, and a restore replaces nothing. Set DATA_DIR to a new directory, or move these files away.`,
    )
  const temporary = path + RESTORING

  function remove(): void {
    for (const ending of BESIDE) rmSync(temporary + ending, { force: true })
  }

  function withDatabase(work: (database: DatabaseSync) => void): void {
    const database = new DatabaseSync(temporary)
    try {
      work(database)
    } finally {
      database.close()
    }
  }

  return {
    async receive(body) {
      remove()
      const file = await open(temporary, 'wx', 0o600)
      try {
        for await (const piece of body) await file.appendFile(piece)
      } finally {
        await file.close()
      }
    },
    open: () => openSqliteStore({ path: temporary }),
    snapshot: () => readSnapshot(temporary),
    async detachClients(at) {
      withDatabase((database) => {
        database.exec('begin')
        database.prepare('update sessions set ended_at = ? where ended_at is null').run(at)
        database.exec('update drops set claim_id = null, claim_hash = null, leased_until = null')
        database.exec(`delete from server_facts where name = 'feed_epoch'`)
        database.exec('delete from pauses')
        database.exec('commit')
      })
    },
    async putInPlace() {
      // A single file: no log stays behind under the temporary name.
      withDatabase((database) => {
        const mode = database.prepare('pragma journal_mode = delete').get()?.journal_mode
        if (mode !== 'delete') throw new Error('the restored database is still open')
      })
      sync(temporary)
      renameSync(temporary, path)
      sync(dirname(path))
    },
    async discard() {
      remove()
    },
  }
}

function sync(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
