import type { Store } from '../../ports/store.ts'
import { postgresDialect } from './dialects.ts'
import { migrate } from './migrations.ts'
import { createConnections, type PostgresConnections } from './postgresConnections.ts'
import { createPostgresHealth, type PostgresHealth } from './postgresHealth.ts'
import { lend } from './postgresLoan.ts'
import type { PostgresSession } from './postgresSession.ts'
import { commit, inSnapshot, inWrite } from './postgresTransactions.ts'
import { createTurns } from './turns.ts'
import { createReadTx, createWriteTx } from './tx.ts'

/** So many transactions run at once. One more connection holds the lock of the receipt log. */
const connectionsMax = 10
const answerTimeoutMs = 30_000
/** One statement may have to go through a large table. */
const migrationTimeoutMs = 3_600_000

/** Locks that the software names itself; the first number says that they are ours. */
const migrationLock = '1651207790, 1'
const receiptLogLock = '1651207790, 2'

/**
 * Opens the database at `url` (`postgresql://…`, https://www.postgresql.org/docs/current/libpq-connect.html) and brings its schema up to date. Several
 * processes may have it open. It has to be reached directly or by a pooler that keeps sessions, as prepared statements and a lock belong to one.
 * Throws `DatabaseTooNew`, `StorageUnavailable` when the server does not answer, and what the server says when it refuses.
 *
 * Besides what `Store` promises: a connection that is lost before its commit rejects with `StorageUnavailable`, and the next call opens another. One
 * that is lost during a commit breaks the store, as nobody knows whether that write has happened.
 */
export async function openPostgresStore(options: { readonly url: string }): Promise<Store> {
  const { url } = options
  const health = createPostgresHealth()
  await migrateDatabase(url, health)
  return storeOver({
    health,
    connections: createConnections({ url, health, answerTimeoutMs, connectionsMax }),
    lockConnection: createConnections({ url, health, answerTimeoutMs, connectionsMax: 1 }),
  })
}

async function migrateDatabase(url: string, health: PostgresHealth): Promise<void> {
  const connection = createConnections({ url, health, answerTimeoutMs: migrationTimeoutMs, connectionsMax: 1 })
  try {
    await connection.use(async (session) => {
      await refuseWithoutSync(session)
      await inMigration(session, health)
    })
  } finally {
    await connection.end()
  }
}

async function refuseWithoutSync(session: PostgresSession): Promise<void> {
  const { rows } = await session.ask({ text: 'show fsync' })
  if (rows[0]?.fsync === 'on') return
  throw new Error(
    'The PostgreSQL server runs with fsync = off, so that it would lose what it has acknowledged: set it to on.',
  )
}

/** Waits for another process that is at it. Each statement sees what that has done, unlike in a transaction of one snapshot. */
async function inMigration(session: PostgresSession, health: PostgresHealth): Promise<void> {
  try {
    await session.begin(`isolation level read committed, read write; set local lock_timeout = ${migrationTimeoutMs}`)
    await session.control(`select pg_advisory_xact_lock(${migrationLock})`)
    await lend(session, (db) => migrate(db, postgresDialect))
    await commit(session, health)
  } finally {
    await session.rollBack()
  }
}

interface Parts {
  readonly connections: PostgresConnections
  readonly lockConnection: PostgresConnections
  readonly health: PostgresHealth
}

function storeOver({ connections, lockConnection, health }: Parts): Store {
  const receiptLog = createTurns()
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined

  function refuseWhenOver(): void {
    health.check()
    if (closed !== undefined) throw new Error('The store is closed')
  }

  /** Closing waits for it. */
  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    refuseWhenOver()
    const result = work()
    running.add(result)
    try {
      return await result
    } finally {
      running.delete(result)
    }
  }

  async function lockReceiptLog<Result>(work: () => Promise<Result>): Promise<Result> {
    refuseWhenOver()
    return await lockConnection.use(async (session) => {
      await session.control(`select pg_advisory_lock(${receiptLogLock})`)
      try {
        return await work()
      } finally {
        // A connection that is lost has lost the lock with it. The log's head, which moves by compare-and-set, holds all the same.
        await session.control(`select pg_advisory_unlock(${receiptLogLock})`).catch(() => undefined)
      }
    })
  }

  async function close(): Promise<void> {
    await Promise.allSettled(running)
    await Promise.all([connections.end(), lockConnection.end()])
  }

  return {
    read: (work) => run(() => connections.use((session) => inSnapshot(session, (db) => work(createReadTx(db))))),
    write: (work) => run(() => inWrite({ connections, health }, (db) => work(createWriteTx(db)))),
    withReceiptLogLock: (work) => run(() => receiptLog.take(() => lockReceiptLog(work))),
    close() {
      closed ??= close()
      return closed
    },
  }
}
