import { randomUUID } from 'node:crypto'
import { closeSync, constants, existsSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Turns } from '@blindkeep/protocol/turns'
import { isRefused, type Store } from '../../../ports/store.ts'
import type { Db } from '../../../rows/db.ts'
import { sqliteDialect } from '../../../rows/dialects.ts'
import { createReadTx } from '../../../rows/nouns.ts'
import { migrate, requireMigrated } from '../migrations/migrations.ts'
import { requireOwnSqlite } from '../migrations/ownSchema.ts'
import { withCommitSteps } from '../shared/commitSteps.ts'
import { forOneStatement } from '../shared/oneStatement.ts'
import { createSingleTurns } from '../shared/turns.ts'
import { openConnection, type SqliteConnection } from './connection.ts'
import { createGroupCommit, type GroupCommit } from './groupCommit.ts'
import { createHealth, type Health } from './health.ts'
import { withWayBack } from './schema.ts'

/** The part of a location that asks SQLite for a database in memory. */
const IN_MEMORY = '?vfs=memdb'

/**
 * Opens the database at `path` and migrates its schema. Creates a missing database (mode 0600; SQLite's log gets the
 * same mode). `:memory:` is a new database that ends with the store. A named database in memory (`memoryPath`) ends
 * with its last connection. Throws `DatabaseTooNew`, or `ForeignSchema` if the schema is not one of ours. With
 * `asItIs`, creates and migrates nothing: throws `DatabaseMissing` or `DatabaseBehind` instead.
 *
 * One connection writes, and one read-only connection reads. Each runs one transaction at a time; both work
 * simultaneously.
 */
export async function openSqliteStore(options: { readonly path: string; readonly asItIs?: boolean }): Promise<Store> {
  const { path, asItIs = false } = options
  const location = path === ':memory:' ? memoryPath() : path
  const inMemory = location.endsWith(IN_MEMORY)
  if (asItIs && !existsSync(path)) throw new DatabaseMissing(`there is no database at ${resolve(path)}`)
  if (!inMemory) createPrivately(location)
  const health = createHealth(inMemory ? undefined : resolve(path))
  const writer = openConnection(location, { health, queryOnly: false })
  const writerTurns = createSingleTurns()
  const commits = createGroupCommit({ connection: writer, turns: writerTurns, health })
  try {
    await commits.write(
      async ({ kysely }) => {
        await requireOwnSqlite(kysely)
        return asItIs ? requireMigrated(kysely) : migrate(kysely, sqliteDialect)
      },
      () => false,
    )
    const reader = openConnection(location, { health, queryOnly: true })
    // A database in memory has no log, so a reader would see half of a write: reader and writer take the same turns.
    const readerTurns = inMemory ? writerTurns : createSingleTurns()
    return storeOver({ writer, reader, readerTurns, commits, health, inMemory })
  } catch (error) {
    writer.close()
    throw withWayBack(error, path)
  }
}

/** A new location of a database in memory, which several connections of this process can open. */
export function memoryPath(): string {
  return `file:/blindkeep-${randomUUID()}${IN_MEMORY}`
}

export class DatabaseMissing extends Error {
  override readonly name = 'DatabaseMissing'
}

/** SQLite would create the file with a mode that depends on the umask. The log and its index get the file's mode. */
function createPrivately(path: string): void {
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600))
}

interface OpenedDatabase {
  readonly writer: SqliteConnection
  readonly reader: SqliteConnection
  readonly readerTurns: Turns
  readonly commits: GroupCommit
  readonly health: Health
  readonly inMemory: boolean
}

function storeOver({ writer, reader, readerTurns, commits, health, inMemory }: OpenedDatabase): Store {
  const receiptLog = createSingleTurns()
  let closed: Promise<void> | undefined

  function refuseWhenOver(): void {
    health.check()
    if (closed !== undefined) throw new Error('The store is closed')
  }

  async function close(): Promise<void> {
    await commits
      .write(
        () => Promise.resolve(),
        () => true,
      )
      .catch(() => undefined)
    await readerTurns.take(() => Promise.resolve())
    reader.close()
    writer.close()
  }

  return {
    mayLoseOutcome: false,
    async read(work) {
      refuseWhenOver()
      return await readerTurns.take(() => inSnapshot(reader, (db) => work(createReadTx(db))))
    },
    async ask(work) {
      refuseWhenOver()
      return await readerTurns.take(() => reader.lend((db) => work(createReadTx(forOneStatement(db)))))
    },
    look: inOneTurn(() => {
      refuseWhenOver()
      // A snapshot may be older than the last commit, and a database in memory shows a write that has not committed.
      return reader.inTransaction() || (inMemory && writer.inTransaction()) ? undefined : reader.dataVersion()
    }),
    async write(_locks, work) {
      refuseWhenOver()
      return await withCommitSteps(work, (run) => commits.write(run, isRefused))
    },
    async withReceiptLogLock(work) {
      refuseWhenOver()
      return await receiptLog.take(async () => {
        refuseWhenOver()
        return await work()
      })
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** Asks once for all calls of a turn of the event loop, at its end, when all of them have been made. */
function inOneTurn<Answer>(ask: () => Answer): () => Promise<Answer> {
  let asking: Promise<Answer> | undefined
  return () => {
    asking ??= turn().then(() => {
      asking = undefined
      return ask()
    })
    return asking
  }
}

/** All that `work` reads is of one instant: the log keeps simultaneous writes separate. */
async function inSnapshot<Result>(reader: SqliteConnection, work: (db: Db) => Promise<Result>): Promise<Result> {
  reader.control('begin')
  try {
    return await reader.lend(work)
  } finally {
    if (reader.inTransaction()) reader.control('commit')
  }
}
