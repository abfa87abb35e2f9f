import { existsSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BackupFailed, type RestoredDatabase } from '../../../ports/backup.ts'
import { openSqliteStore } from '../sqlite/store.ts'
import { syncPath } from '../sqlite/syncPath.ts'
import { createArrivingParts } from './arrivingParts.ts'
import { endUnfinished, fillPostgres, markUnfinished } from './filledPostgres.ts'
import { readSnapshot } from './snapshot.ts'

/** The ending of a database's name until its restore is complete. */
export const RESTORING = '.restoring'
/** Endings of SQLite's files beside a database: it would apply a foreign log to one of the same name. */
const BESIDE: readonly string[] = ['', '-wal', '-shm', '-journal']

/** Throws `BackupFailed` if there is a database at `path`, or a file that SQLite left of one. */
export function refusePresent(path: string): void {
  const found = BESIDE.map((ending) => path + ending).find(existsSync)
  if (found !== undefined)
    throw new BackupFailed(
      `there is ${found} already, and a restore replaces nothing. Set DATA_DIR to a new directory, or move these files away.`,
    )
}

/** Throws as `refusePresent`. */
export function createRestoredDatabase(path: string): RestoredDatabase {
  refusePresent(path)
  const temporary = path + RESTORING
  return {
    ...receivedAt(temporary),
    async putInPlace() {
      // A single file: no log stays behind under the temporary name.
      withDatabase(temporary, (database) => {
        const mode = database.prepare('pragma journal_mode = delete').get()?.journal_mode
        if (mode !== 'delete') throw new Error('the restored database is still open')
      })
      syncPath(temporary)
      renameSync(temporary, path)
      syncPath(dirname(path))
    },
  }
}

/**
 * The same for the PostgreSQL database at `url`. The restore works on a SQLite file at `path`, and its rows get to
 * PostgreSQL at its end, in one transaction. Until then the database has a mark with which no server starts. Throws
 * `BackupFailed` if the database has rows.
 */
export async function createRestoredPostgres(options: {
  readonly url: string
  readonly path: string
}): Promise<RestoredDatabase> {
  const { url } = options
  await markUnfinished(url)
  const temporary = options.path + RESTORING
  const received = receivedAt(temporary)
  return {
    ...received,
    async putInPlace() {
      await fillPostgres(url, temporary)
      removeDatabase(temporary)
    },
    async discard() {
      removeDatabase(temporary)
      await endUnfinished(url)
    },
  }
}

function receivedAt(temporary: string): Omit<RestoredDatabase, 'putInPlace'> {
  return {
    async receive(body) {
      removeDatabase(temporary)
      const file = await open(temporary, 'wx', 0o600)
      try {
        for await (const piece of body) await file.appendFile(piece)
      } finally {
        await file.close()
      }
    },
    async open() {
      const store = await openSqliteStore({ path: temporary })
      // They are of another store of bytes, and of processes that run no more. The first node to start sets the
      // settings that all share.
      withDatabase(temporary, (database) =>
        database.exec(
          "delete from parts; delete from nodes; delete from server_facts where name in ('store_id', 'settings')",
        ),
      )
      return store
    },
    snapshot: () => readSnapshot(temporary),
    parts: createArrivingParts(temporary),
    async detachClients(at) {
      withDatabase(temporary, (database) => {
        database.exec('begin')
        database.prepare('update sessions set ended_at = ? where ended_at is null').run(at)
        database.exec('update drops set claim_id = null, claim_hash = null, leased_until = null')
        database.exec('update uploads set leased_by = null, leased_until = null, writing_until = null')
        database.exec('delete from pauses; delete from seats')
        database.exec('commit')
      })
    },
    async discard() {
      removeDatabase(temporary)
    },
  }
}

/** With the files beside it. */
export function removeDatabase(path: string): void {
  for (const ending of BESIDE) rmSync(path + ending, { force: true })
}

export function withDatabase(path: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path)
  try {
    work(database)
  } finally {
    database.close()
  }
}
