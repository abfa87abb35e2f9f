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
import { refuseUnfinished } from './unfinished.ts'

/** How many transactions run at once. One more connection holds the lock of the receipt log. */
const MAX_CONNECTIONS = 10
const ANSWER_TIMEOUT_MS = 30_000
/** One statement may have to read a large table. */
const MIGRATION_TIMEOUT_MS = 3_600_000

/** Advisory locks. The first number stands for Blindkeep. */
const MIGRATION_LOCK = '1651207790, 1'
const RECEIPT_LOG_LOCK = '1651207790, 2'

/**
 * Opens the database at `url` (`postgresql://…`, https://www.postgresql.org/docs/current/libpq-connect.html) and migrates its schema. Several processes may
 * have it open. Connect directly, or through a pooler that keeps sessions: prepared statements and a lock belong to a session.
 * Throws `DatabaseTooNew`, `StorageUnavailable` if the server does not answer, and the server's own error if it refuses.
 *
 * Beyond the promises of `Store`: if a connection is lost before its commit, the call rejects with `StorageUnavailable`, and the next call opens another
 * connection. If it is lost during a commit, the store is broken, because it is unknown whether the write has happened.
 */
export async function openPostgresStore(options: { readonly url: string }): Promise<Store> {
  const { url } = options
  const health = createPostgresHealth()
  await migrateDatabase(url, health)
  return storeOver({
    health,
    connections: createConnections({
      url,
      health,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      connectionsMax: MAX_CONNECTIONS,
    }),
    lockConnection: createConnections({ url, health, answerTimeoutMs: ANSWER_TIMEOUT_MS, connectionsMax: 1 }),
  })
}

async function migrateDatabase(url: string, health: PostgresHealth): Promise<void> {
  const connection = createConnections({ url, health, answerTimeoutMs: MIGRATION_TIMEOUT_MS, connectionsMax: 1 })
  try {
    await connection.use(async (session) => {
      await refuseWithoutSync(session)
      await refuseUnfinished(session)
      await inMigration(session, health)
    })
  } finally {
    await connection.end()
  }
}

async function refuseWithoutSync(session: PostgresSession): Promise<void> {
  const { rows } = await session.ask({ text: 'show fsync' })
  if (rows[0]?.fsync === 'on') return
  throw new Error('The PostgreSQL server runs with fsync = off and would lose acknowledged writes: set it to on.')
}

/** Waits while another process migrates. With this isolation level each statement then sees what that process has done. */
async function inMigration(session: PostgresSession, health: PostgresHealth): Promise<void> {
  try {
    await session.begin(`isolation level read committed, read write; set local lock_timeout = ${MIGRATION_TIMEOUT_MS}`)
    await session.control(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
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

  /** Runs `work`. `close` waits for it. */
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
      await session.control(`select pg_advisory_lock(${RECEIPT_LOG_LOCK})`)
      try {
        return await work()
      } finally {
        // A lost connection has lost the lock too. Then the compare-and-set of the log's head still protects the chain.
        await session.control(`select pg_advisory_unlock(${RECEIPT_LOG_LOCK})`).catch(() => undefined)
      }
    })
  }

  async function close(): Promise<void> {
    await Promise.allSettled(running)
    await Promise.all([connections.end(), lockConnection.end()])
  }

  return {
    read: (work) => run(() => connections.use((session) => inSnapshot(session, (db) => work(createReadTx(db))))),
    write: (_locks, work) => run(() => inWrite({ connections, health }, (db) => work(createWriteTx(db)))),
    withReceiptLogLock: (work) => run(() => receiptLog.take(() => lockReceiptLog(work))),
    close() {
      closed ??= close()
      return closed
    },
  }
}
