import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BackupFailed, type RestoredDatabase } from '../../ports/backup.ts'
import { readSnapshot } from './snapshot.ts'
import { openSqliteStore } from './sqlite.ts'

/** What a database is called until its restore has ended. */
export const RESTORING = '.restoring'
/** What SQLite keeps beside a database. Beside another one it would be taken for its own, and written into it. */
const BESIDE: readonly string[] = ['', '-wal', '-shm', '-journal']

/** Throws `BackupFailed` when there is a database at `path` already, or anything of one that was there. */
export function createRestoredDatabase(path: string): RestoredDatabase {
  const found = BESIDE.map((ending) => path + ending).find(existsSync)
  if (found !== undefined)
    throw new BackupFailed(
      `there is ${found} already, and a restore writes over nothing. Set DATA_DIR to a new directory, or move what is there away.`,
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
    async cutLoose(at) {
      withDatabase((database) => {
        database.exec('begin')
        database.prepare('update sessions set ended_at = ? where ended_at is null').run(at)
        database.exec('update drops set claim_id = null, claim_hash = null, leased_until = null')
        database.exec(`delete from server_facts where name in ('feed_epoch', 'collector_paused_until')`)
        database.exec('commit')
      })
    },
    async putInPlace() {
      // One file alone: no log stays behind under the name that it has now.
      withDatabase((database) => {
        const mode = database.prepare('pragma journal_mode = delete').get()?.journal_mode
        if (mode !== 'delete') throw new Error('the restored database is still open')
      })
      sync(temporary)
      renameSync(temporary, path)
      sync(dirname(path))
    },
    async giveUp() {
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
