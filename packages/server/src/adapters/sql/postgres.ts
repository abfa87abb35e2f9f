import type { Store } from '../../ports/store.ts'
import { createConnections, type PostgresConnections } from './postgresConnections.ts'
import { createPostgresHealth, type PostgresHealth } from './postgresHealth.ts'
import { preparePostgres, type SchemaUse } from './postgresSchema.ts'
import { inSnapshot, inWrite } from './postgresTransactions.ts'
import { createTurns } from './turns.ts'
import { createReadTx, createWriteTx } from './tx.ts'

/** How many transactions run at once. One more connection holds the lock of the receipt log. */
const MAX_CONNECTIONS = 10
const ANSWER_TIMEOUT_MS = 30_000

/** An advisory lock. The first number stands for Blindkeep. */
const RECEIPT_LOG_LOCK = '1651207790, 2'

/**
 * Opens the database at `url` (`postgresql://…`, https://www.postgresql.org/docs/current/libpq-connect.html) and migrates its schema, unless
 * `schema` asks for less. Several processes may have it open. Connect directly, or through a pooler that keeps sessions: prepared statements and a lock belong to a session.
 * Throws `DatabaseTooNew`, `StorageUnavailable` if the server does not answer, and the server's own error if it refuses.
 *
 * Beyond the promises of `Store`: if a connection is lost before its commit, the call rejects with `StorageUnavailable`, and the next call opens another
 * connection. If it is lost during a commit, the store is broken, because it is unknown whether the write has happened.
 */
export async function openPostgresStore(options: {
  readonly url: string
  readonly schema?: SchemaUse
}): Promise<Store> {
  const { url, schema = 'migrate' } = options
  const health = createPostgresHealth()
  await preparePostgres({ url, health, schema })
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
